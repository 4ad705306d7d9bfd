#include "bench/harness/metrics.hpp"

#include <fmt/format.h>

#include <utility>

#include "bench/strategy/metric_kinds.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench {

using result_file::better;
using result_file::metric;
using result_file::metric_kind;

namespace {

void add_counts(metric_list& list, const benchmark_case& measured, const schedule& planned) {
  if (measured.procedure != 1)
    list.add(count_metric("procedure", "number of the procedure; only figures of one are compared"),
             measured.procedure);
  list.add(count_metric("operations", "timed operations of the repetition"),
           static_cast<double>(planned.operations));
  list.add(count_metric("batch", "operations between two readings of the clock"),
           static_cast<double>(planned.batch));
}

void add_times(metric_list& list, const statistics::distribution& times) {
  list.add(time_metric("median_ns", "one operation: median"), times.median);
  list.add(time_metric("mean_ns", "one operation: mean"), times.mean);
  const auto add_if_told = [&](const char* name, const char* which, std::optional<double> time) {
    if (time)
      list.add(time_metric(name, fmt::format("one operation: {} percentile", which)), *time);
  };
  add_if_told("p5_ns", "5th", times.p5);
  add_if_told("p95_ns", "95th", times.p95);
  add_if_told("p99_ns", "99th", times.p99);
  list.add(time_metric("min_ns", "one operation: fastest"), times.min);
  list.add(time_metric("max_ns", "one operation: slowest"), times.max);
  add_if_told("p999_ns", "99.9th", times.p999);
}

metric step_time(const std::string& step) {
  return time_metric(step + "_ns", "median of the step '" + step + "'");
}

void add_steps(metric_list& list, const transfer& transfer, const samples& samples, double median) {
  for (const auto& [name, times] : samples.steps)
    if (!times.empty()) list.add(step_time(name), statistics::median(times));
  if (transfer.steps.size() == 1) list.add(step_time(transfer.steps[0].name), median);
}

void add_comparisons(metric_list& list, const transfer& transfer, const samples& samples) {
  for (std::size_t i = 0; i < transfer.against.size(); ++i) {
    const auto& [name, description, run, bytes, before, after] = transfer.against[i];
    const auto& [times, differences] = samples.compared[i];
    if (times.empty()) continue;
    const double median = statistics::median(times);
    list.add(time_metric(name + "_ns", description), median);
    if (bytes) {
      list.add(rate_metric(name + "_gb_per_s", description), static_cast<double>(*bytes) / median);
    } else {
      list.add(time_metric("over_" + name + "_ns", "how much longer than " + description, true),
               statistics::median(differences));
    }
  }
}

void add_rates(metric_list& list, const benchmark_case& measured, double bytes, double median,
               std::optional<double> link_limit) {
  list.add(size_metric("bytes", "moved by one operation"), bytes);
  // Bytes per nanosecond are 10⁹ bytes per second.
  list.add(rate_metric("gb_per_s", "bytes by the median time"), bytes / median);
  const bool has_one_direction = measured.direction == result_file::direction::h2d ||
                                 measured.direction == result_file::direction::d2h;
  if (link_limit && has_one_direction && measured.measured->shares_link)
    list.add(share_metric("link_percent", "gb_per_s in percent of the link's limit", better::more),
             100 * bytes / median / *link_limit);
}

void add_elements(metric_list& list, const transfer& transfer, double median) {
  if (transfer.amount.elements == 0) return;
  list.add({"gelements_per_s", "G/s", metric_kind::rate, better::more,
            "10⁹ elements per second by the median time, whatever their bytes", true},
           static_cast<double>(transfer.amount.elements) / median);
}

void add_costs(metric_list& list, const transfer& transfer, double bytes,
               const statistics::distribution& times, std::optional<double> cores) {
  if (cores) {
    list.add(count_metric("cores", "cores kept busy by the process", better::less), *cores);
    // Nanoseconds per byte are seconds per 10⁹ bytes.
    if (bytes > 0)
      list.add(
          {"cpu_s_per_gb", "s/GB", metric_kind::duration, better::less, "CPU time for 10⁹ bytes"},
          *cores * times.mean / bytes);
  }
  if (transfer.amount.multiprocessors > 0)
    list.add(count_metric("multiprocessors", "multiprocessors occupied by the operation's kernels",
                          better::less),
             static_cast<double>(transfer.amount.multiprocessors));
  if (transfer.amount.accesses > 0) {
    list.add(time_metric("ns_per_access", "one single access", true),
             times.median / static_cast<double>(transfer.amount.accesses));
  }
}

result_file::metric of_flow(result_file::metric described, const result_file::flow& flow,
                            bool alone) {
  described.flow = {flow.device, flow.direction};
  described.alone = alone;
  return described;
}

/// The rate of each copy, and what it loses to the others.
void add_flows(metric_list& list, const benchmark_case& measured, const schedule& planned,
               const samples& samples) {
  double sum = 0;
  for (std::size_t i = 0; i < samples.flows.size(); ++i) {
    const auto& [at_once, alone] = samples.flows[i];
    if (at_once.empty()) continue;
    const auto& flow = measured.copies.at(i);
    const auto& name = flow.name;
    const double rate = statistics::median(at_once);
    sum += rate;
    list.add(of_flow(rate_metric("gb_per_s@" + name, name + " while all copy"), flow, false), rate);
    if (alone.empty()) continue;
    const double rate_alone = statistics::median(alone);
    list.add(of_flow(rate_metric("alone_gb_per_s@" + name, name + " alone"), flow, true),
             rate_alone);
    list.add(
        of_flow(share_metric("loss_percent@" + name,
                             "what " + name + " loses of its rate while all copy", better::less),
                flow, false),
        100 * (1 - rate / rate_alone));
  }
  if (samples.flows.empty()) return;
  if (samples.ranks)
    list.add(count_metric("ranks", "processes of the node that copied at once"),
             static_cast<double>(*samples.ranks));
  list.add(rate_metric("sum_gb_per_s",
                       samples.ranks ? "the copies of this process at once" : "all copies at once"),
           sum);
  list.add(count_metric("copies", "least copies of each in an operation"),
           static_cast<double>(planned.copies));
  list.add(count_metric("discarded", "samples in which not all were busy for long enough"),
           static_cast<double>(samples.discarded));
}

void add_device_times(metric_list& list, const samples& samples, double bytes) {
  if (samples.on_device.empty()) return;
  const double median = statistics::median(samples.on_device);
  if (median <= 0) return;  // shorter than the clock tells
  list.add(time_metric("device_ns", "median by the device's clock"), median);
  list.add(count_metric("device_operations", "operations timed by the device's clock"),
           static_cast<double>(samples.on_device.size()));
  if (bytes > 0)
    list.add(rate_metric("device_gb_per_s", "bytes by the device's time"), bytes / median);
}

}  // namespace

metric_values metric_list::values() const {
  metric_values values;
  for (const auto& [metric, value] : entries_) values[metric.name] = value;
  return values;
}

metric_list metrics_of(const benchmark_case& measured, const transfer& transfer,
                       const schedule& planned, const samples& samples, std::optional<double> cores,
                       std::optional<double> link_limit) {
  metric_list list;
  const auto times = statistics::summarize(samples.operation);
  add_counts(list, measured, planned);
  add_times(list, times);
  add_steps(list, transfer, samples, times.median);
  add_comparisons(list, transfer, samples);
  add_flows(list, measured, planned, samples);
  const auto bytes = static_cast<double>(transfer.amount.bytes.value_or(measured.bytes()));
  if (bytes > 0) add_rates(list, measured, bytes, times.median, link_limit);
  add_elements(list, transfer, times.median);
  add_costs(list, transfer, bytes, times, cores);
  add_device_times(list, samples, bytes);
  if (transfer.derive)
    for (auto& [metric, value] : transfer.derive(list.values())) list.add(std::move(metric), value);
  return list;
}

}  // namespace bench_transfers::bench
