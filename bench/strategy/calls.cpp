#include "bench/strategy/calls.hpp"

#include <regex>
#include <utility>

namespace bench_transfers::bench {

std::string calls_in(result_file::direction direction, const std::string& lines,
                     result_file::direction beside) {
  static const std::regex of_it(R"(\$\[([^|\]]*)\|([^\]]*)\])");
  static const std::regex of_copy_beside(R"(\$\{([^|}]*)\|([^}]*)\})");
  const auto chosen = [](result_file::direction way) {
    return way == result_file::direction::d2h ? "$2" : "$1";
  };
  return std::regex_replace(std::regex_replace(lines, of_it, chosen(direction)), of_copy_beside,
                            chosen(beside));
}

std::string calls_for(transfers::host_memory_kind kind) {
  using transfers::host_origin;
  using transfers::pin_flags;
  const std::string lock = "cudaHostRegister(host, bytes, cudaHostRegisterDefault);\n";
  const std::string huge =
      "host = static_cast<std::byte*>(std::aligned_alloc(2 << 20, bytes));\n"
      "madvise(host, bytes, MADV_HUGEPAGE);\n";
  switch (kind.origin) {
    case host_origin::pageable: return "host = new std::byte[bytes];\n";
    case host_origin::pageable_huge: return huge;
    case host_origin::registered: return "host = new std::byte[bytes];\n" + lock;
    case host_origin::registered_huge: return huge + lock;
    case host_origin::managed: return "cudaMallocManaged(&host, bytes);\n";
    case host_origin::pinned: break;
  }
  std::string flags;
  for (const auto& [flag, name] :
       {std::pair{pin_flags::portable, "cudaHostAllocPortable"},
        std::pair{pin_flags::mapped, "cudaHostAllocMapped"},
        std::pair{pin_flags::write_combined, "cudaHostAllocWriteCombined"}})
    if (has(kind.flags, flag)) flags += (flags.empty() ? "" : " | ") + std::string(name);
  return "cudaHostAlloc(&host, bytes, " + (flags.empty() ? "cudaHostAllocDefault" : flags) + ");\n";
}

}  // namespace bench_transfers::bench
