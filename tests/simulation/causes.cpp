#include "tests/simulation/causes.hpp"

#include <algorithm>
#include <utility>

#include "src/fleet/report/words.hpp"

namespace bench_transfers::simulation {
namespace {

using where = fault::where;

/// The places that causes are at.
struct places {
  std::size_t node, number, other_number;
  std::string gpu, in_node, rack, slot;
};

places draw(const fleet_kind& kind, std::mt19937_64& random) {
  const auto below = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  const auto node = below(kind.nodes);
  const auto number = below(kind.gpus_in_node);
  const auto other = (number + 1) % kind.gpus_in_node;
  return {node,
          number,
          other,
          name_of_gpu(node, number),
          name_of_node(node),
          name_of_rack(node / kind.nodes_in_rack),
          name_of_slot(number)};
}

}  // namespace

std::vector<cause> causes_of(const fleet_kind& kind, double slower, std::mt19937_64& random) {
  constexpr double more = 0.07;
  const auto at = draw(kind, random);
  const auto other_gpu = name_of_gpu(at.node, at.other_number);
  const auto racks = (kind.nodes + kind.nodes_in_rack - 1) / kind.nodes_in_rack;
  // Of fewer than five nodes none is named that is slower by less than 7.8 %.
  const auto of_node = kind.nodes < 5 ? slower + more : slower;
  const fault gpu{where::gpu, at.gpu, slower}, node{where::node, at.in_node, of_node},
      rack{where::rack, at.rack, slower}, slot{where::slot, at.slot, slower},
      all{where::fleet, "", slower};
  const auto one_direction = [](fault fault) {
    fault.towards = {fleet::direction::d2h};
    return fault;
  };
  const auto together = [](fault fault) {
    fault.together_only = true;
    return fault;
  };
  const fault slower_gpu{where::gpu, other_gpu, slower + more};
  const expected_finding of_gpu{"gpu", at.gpu}, of_other_gpu{"gpu", other_gpu},
      the_node{"node", at.in_node}, the_rack{"rack", at.rack}, the_slot{"slot", at.slot},
      the_fleet{"fleet", ""};
  std::vector<cause> list{
      {"GPU", {gpu}, {of_gpu}},
      {"GPU, one direction", {one_direction(gpu)}, {of_gpu}},
      {"GPU, together", {together(gpu)}, {of_gpu}},
      {"node", {node}, {the_node}},
      {"node, one direction", {one_direction(node)}, {the_node}},
      {"node, together", {together(node)}, {the_node}},
      {"slot", {slot}, {the_slot}},
      {"slot, one direction", {one_direction(slot)}, {the_slot}},
      {"slot, together", {together(slot)}, {the_slot}},
      {"slot, two models", {slot}, {the_slot}, 2},
      {"node and a GPU of it", {node, slower_gpu}, {the_node, of_other_gpu}},
      {"slot and a GPU", {slot, slower_gpu}, {the_slot, of_other_gpu}},
      {"slot and a node", {slot, node}, {the_slot, the_node}},
      {"fleet", {all}, {the_fleet}, 1, true},
      {"fleet, one direction", {one_direction(all)}, {the_fleet}, 1, true},
      {"fleet, together", {together(all)}, {the_fleet}, 1, true},
      {"fleet, two models", {all}, {the_fleet}, 2, true},
      {"fleet and a GPU", {all, slower_gpu}, {the_fleet, of_other_gpu}, 1, true},
      {"fleet and a node", {all, node}, {the_fleet, the_node}, 1, true},
      {"GPU, referred", {gpu}, {of_gpu}, 1, true},
      {"node, referred", {node}, {the_node}, 1, true},
      {"slot, referred", {slot}, {the_slot}, 1, true},
  };
  if (racks > 1) {
    list.push_back({"rack", {rack}, {the_rack}});
    list.push_back({"rack, one direction", {one_direction(rack)}, {the_rack}});
    list.push_back({"rack, together", {together(rack)}, {the_rack}});
    list.push_back({"rack, two models", {rack}, {the_rack}, 2});
    list.push_back({"rack and a GPU of it", {rack, slower_gpu}, {the_rack, of_other_gpu}});
    list.push_back({"rack, referred", {rack}, {the_rack}, 1, true});
  }
  return list;
}

fleet::judgement judged(fleet_kind kind, const cause& cause, std::mt19937_64& random) {
  kind.models = cause.models;
  const auto seed = random();
  const auto sweep = [&](const std::vector<fault>& faults) {
    std::mt19937_64 parts(seed);
    return make_up(kind, faults, parts, random);
  };
  std::vector<fleet::sweep> before;
  if (cause.has_reference) before.push_back(sweep({}));
  return judge(sweep(cause.faults), fleet::settings::usual(), before);
}

bool is_found(const fleet::judgement& judged, const cause& cause) {
  const auto is_there = [&](const expected_finding& expected) {
    return std::ranges::any_of(judged.findings, [&](const fleet::finding& found) {
      return to_string(found.scope) == expected.scope &&
             (expected.name.empty() || found.name == expected.name) &&
             found.kind == fleet::benchmark_class::link;
    });
  };
  return std::ranges::all_of(cause.expected, is_there);
}

bool is_as_expected(const fleet::judgement& judged, const cause& cause) {
  return judged.findings.size() == cause.expected.size() && is_found(judged, cause);
}

}  // namespace bench_transfers::simulation
