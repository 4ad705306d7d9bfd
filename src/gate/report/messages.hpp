#pragma once

#include "src/common/message.hpp"
#include "src/gate/judge/compare.hpp"
#include "src/gate/model/reason.hpp"

namespace bench_transfers::gate {

// The messages of a check, for programs. Their codes and data are in docs/answers.schema.json and
// do not change; their texts come from report/wording.hpp.

/// The thresholds are part of some texts.
common::message message_of(const reason& cause, const limits& limits);
common::message message_of(const note& message);
common::message message_of(const remark& message);

}  // namespace bench_transfers::gate
