#pragma once

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "src/doctor/facts.hpp"
#include "src/topology/pci/pci_links.hpp"

namespace bench_transfers::doctor {

/// The links of a GPU, as this machine and its measured copies let them be believed.
std::vector<topology::path_link> links_of(const facts& facts, const gpu_facts& gpu);

/// What packet headers leave of a link for the GPU's packets.
std::pair<double, double> packet_limit_of(const gpu_facts& gpu, const topology::path_link& link);

/// Its ends, generation and width, and the most that both ends can have.
nlohmann::ordered_json to_json(const topology::path_link& link);

}  // namespace bench_transfers::doctor
