#pragma once

#include "src/gate/judge/answer.hpp"

namespace bench_transfers::gate {

/// Whether other runs have been looked at before: a slowdown that other users may cause needs two
/// looks.
enum class look { first, later };

/// By the median, or the figure that the metric names. The finding has this judgement already.
void conclude_by_own_figure(finding& entry);

/// Whether some runs are so slow that it is worth a remark.
bool has_slow_runs(const finding& entry);

/// Noise seldom reaches the fastest operation of a run, which shows small slowdowns that the median
/// leaves open. It clears nothing: the other operations may be slower. But where it surely is not
/// slower, other users may have slowed down all runs of a look, or some of several: then all runs
/// of two looks must show it. Where the median surely is not slower, or its class has shifted as a
/// whole, it is doubtful itself.
void conclude_by_fastest(finding& entry, const class_answer& part, look newest);

/// The mean tells what the median does not show. Other users of a machine slow down the means of
/// all processes of a look: a second one must show it, too, and in more than single processes.
void conclude_by_mean(finding& entry, look newest);

}  // namespace bench_transfers::gate
