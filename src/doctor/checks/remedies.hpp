#pragma once

#include <string>
#include <vector>

#include "src/doctor/facts.hpp"
#include "src/doctor/finding.hpp"
#include "src/doctor/path_links.hpp"

// A remedy must be possible where it is given.

namespace bench_transfers::doctor {

/// The same with the words and the command that fit the place where the program runs: a container,
/// a virtual machine or WSL cannot do what its host does.
remedy possible_here(const host_facts& host, remedy fix);

/// How to get a driver that fits; `why` is the sentence.
remedy install_driver(const host_facts& host, const std::string& why);

/// Adds an argument to the kernel's command line.
remedy kernel_argument(const host_facts& host, const std::string& why, const std::string& argument);

/// What a container needs to be given.
enum class access { gpu, management_library, sysfs };
/// `elsewhere` is for programs outside of containers.
remedy give_container(const host_facts& host, access access, const remedy& elsewhere);

/// Shows what both ends of a link can do.
std::string show_link(const gpu_facts& gpu, const topology::path_link& link);

/// The card cannot be moved to another slot.
bool is_soldered(const host_facts& host, const gpu_facts& gpu);

/// Why a link may be slow although nothing is broken: ASPM or runtime power management. Empty
/// where neither is on.
std::vector<std::string> power_saving_of(const host_facts& host, const gpu_facts& gpu);
remedy switch_off_power_saving(const gpu_facts& gpu);

}  // namespace bench_transfers::doctor
