#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

using column = std::map<std::string, double>;  // by label

column pick(const std::vector<figure>& sized, double bytes, direction towards,
            double (*value)(const figure&)) {
  column picked;
  for (const auto& figure : sized)
    if (figure.bytes == bytes && figure.benchmark->direction == towards)
      picked[figure.label] = value(figure);
  return picked;
}

double microseconds(const figure& shown) { return shown.median_ns / 1000; }
double rate(const figure& shown) { return shown.gb_per_s; }

enum class best { smallest, largest };

/// Text for one cell; '*' marks the best and its equals.
std::string cell(const column& values, const std::string& label, int decimals, best is_best) {
  const auto entry = values.find(label);
  if (entry == values.end()) return "-  ";
  const auto [least, most] = std::ranges::minmax_element(values, {}, &column::value_type::second);
  const bool marked = is_best == best::smallest ? entry->second <= least->second * 1.01
                                                : entry->second >= most->second * 0.99;
  const int shown = entry->second < 1000 ? decimals : 1;  // so that columns stay narrow
  return fmt::format("{:.{}f} {}", entry->second, shown, marked ? '*' : ' ');
}

/// Of the strategies measured at the smallest or the largest size; others have their own table.
std::vector<std::string> labels_of(const std::vector<figure>& sized, double smallest,
                                   double largest) {
  std::vector<std::string> labels;
  for (const auto& figure : sized)
    if ((figure.bytes == smallest || figure.bytes == largest) &&
        std::ranges::find(labels, figure.label) == labels.end())
      labels.push_back(figure.label);
  return labels;
}

std::string percent_of_link(const column& rates, const std::string& label,
                            const nlohmann::ordered_json& link) {
  const auto rate = rates.find(label);
  const auto& limit = member(link, {"limit_gb_per_s"});
  if (!limit.is_number() || rate == rates.end()) return "-";
  return fmt::format("{:.0f}", 100 * rate->second / limit.get<double>());
}

std::string rate_at(double bytes, direction towards, const std::vector<figure>& sized) {
  const auto match = std::ranges::find_if(sized, [&](const figure& candidate) {
    return candidate.bytes == bytes && candidate.benchmark->direction == towards;
  });
  return number_or_dash(match == sized.end() ? std::nullopt : std::optional(match->gb_per_s), 2);
}

}  // namespace

std::string table_of_directions(const std::vector<figure>& sized, const figures& measured) {
  if (sized.empty()) return "";
  const auto [small, large] = std::ranges::minmax(sized, {}, &figure::bytes);
  // Latency is of interest only where it is not bandwidth seen from the other side.
  const bool with_latency = small.bytes < large.bytes || small.bytes <= 4096;
  const auto latency_to = pick(sized, small.bytes, direction::h2d, microseconds);
  const auto latency_from = pick(sized, small.bytes, direction::d2h, microseconds);
  const auto rate_to = pick(sized, large.bytes, direction::h2d, rate);
  const auto rate_from = pick(sized, large.bytes, direction::d2h, rate);
  const auto labels = labels_of(sized, small.bytes, large.bytes);
  const auto& link = member(measured.file().facts, {"link"});

  std::size_t width = 34;
  for (const auto& label : labels) width = std::max(width, label.size() + 1);
  const auto if_latency = [&](const std::string& cells) { return with_latency ? cells : ""; };
  std::string text = fmt::format(
      "\n{:<{}}{}{:^20}{:^14}\n{:<{}}{}{:>9} {:>9} {:>6} {:>6}\n", "", width,
      if_latency(fmt::format("{:^20}", small.size() + " latency, µs")), large.size() + ", GB/s",
      "% of link", "strategy", width, if_latency(fmt::format("{:>9} {:>9} ", "h2d  ", "d2h  ")),
      "h2d  ", "d2h  ", "h2d", "d2h");
  for (const auto& label : labels)
    text += fmt::format(
        "{:<{}}{}{:>9} {:>9} {:>6} {:>6}\n", label, width,
        if_latency(fmt::format("{:>9} {:>9} ", cell(latency_to, label, 3, best::smallest),
                               cell(latency_from, label, 3, best::smallest))),
        cell(rate_to, label, 2, best::largest), cell(rate_from, label, 2, best::largest),
        percent_of_link(rate_to, label, link), percent_of_link(rate_from, label, link));
  return text + "* best of its column, or within 1 % of it.\n";
}

std::string table_of_smaller(const std::vector<figure>& sized) {
  if (sized.empty()) return "";
  const auto largest = largest_of(sized).bytes;
  std::map<std::string, std::vector<figure>, common::natural_order> by_label;
  for (const auto& figure : sized) by_label[figure.label].push_back(figure);
  std::string text;
  for (const auto& [label, figures] : by_label) {
    const auto& label_largest = largest_of(figures);
    if (label_largest.bytes == largest) continue;
    text += fmt::format("{:<54}{:>8}{:>12}{:>12}\n", label, label_largest.size(),
                        rate_at(label_largest.bytes, direction::h2d, figures),
                        rate_at(label_largest.bytes, direction::d2h, figures));
  }
  if (text.empty()) return "";
  return fmt::format("\n{:<54}{:>8}{:>12}{:>12}\n", "measured up to smaller sizes, GB/s there",
                     "size", "h2d", "d2h") +
         text;
}

}  // namespace bench_transfers::result_file
