#include "src/transfers/core/numa.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "src/transfers/core/pages.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers::numa_test {
namespace {

using bench_transfers::common::complaint_of;
using detail::numa_system;

/// A machine with the nodes 0 to 3, of which 2 has no memory. Pages lie where they were asked for,
/// except some.
class made_up_system final : public numa_system {
 public:
  [[nodiscard]] node_state state_of(int node) const override {
    if (hidden) return node_state::not_known;
    if (node > 3) return node_state::absent;
    return node == 2 ? node_state::without_memory : node_state::present;
  }
  [[nodiscard]] std::optional<nodes> allowed() const override { return cpuset; }
  [[nodiscard]] std::optional<nodes> bound_to() const override { return policy; }
  [[nodiscard]] int prefer(std::span<std::byte> /*memory*/, int node) const override {
    preferred = node;
    return prefer_error;
  }
  [[nodiscard]] int gather(std::span<std::byte> /*memory*/, int /*node*/) const override {
    if (gathers) elsewhere = 0;
    return gathers ? 0 : EIO;
  }
  [[nodiscard]] int locate(std::span<void* const> pages, std::span<int> found) const override {
    for (std::size_t i = 0; i < pages.size(); ++i, ++located)
      found[i] = located % total < elsewhere ? place_of_others : preferred;
    return locate_error;
  }

  bool hidden = false;
  std::optional<nodes> cpuset = nodes{0, 1};
  std::optional<nodes> policy;
  int prefer_error = 0, locate_error = 0;
  bool gathers = false;
  std::size_t total = SIZE_MAX;
  int place_of_others = 0;
  mutable std::size_t elsewhere = 0;
  mutable std::size_t located = 0;
  mutable int preferred = -1;
};

std::string refusal_of(int node, const numa_system& system) {
  return detail::why_no_node(node, system).value_or("");
}

const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

TEST(numa_node, is_usable_where_pages_can_be_placed_and_found) {
  made_up_system system;
  EXPECT_EQ(detail::why_no_node(0, system), std::nullopt);
  EXPECT_EQ(detail::why_no_node(1, system), std::nullopt);
  EXPECT_EQ(system.preferred, 1);
}

TEST(numa_node, is_refused_with_the_reason) {
  made_up_system system;
  EXPECT_EQ(refusal_of(4, system), "this machine has no NUMA node 4");
  EXPECT_EQ(refusal_of(2, system), "NUMA node 2 has no memory");
  EXPECT_THAT(refusal_of(3, system), AllOf(HasSubstr("cpuset"), HasSubstr("node 3")));
  EXPECT_EQ(refusal_of(-1, system), "there is no NUMA node -1");
  EXPECT_EQ(refusal_of(1024, system), "there is no NUMA node 1024");
  system.policy = numa_system::nodes{0};
  EXPECT_THAT(refusal_of(1, system), AllOf(HasSubstr("--membind"), HasSubstr("node 1")));
  EXPECT_EQ(detail::why_no_node(0, system), std::nullopt);
}

TEST(numa_node, is_tried_where_the_system_tells_nothing) {
  made_up_system system;
  system.hidden = true;
  system.cpuset.reset();
  EXPECT_EQ(detail::why_no_node(3, system), std::nullopt);
}

TEST(numa_node, is_refused_where_a_container_refuses_the_calls) {
  made_up_system system;
  system.prefer_error = EPERM;
  EXPECT_THAT(refusal_of(0, system), AllOf(HasSubstr("mbind"), HasSubstr("SYS_NICE")));
  system.prefer_error = 0;
  system.locate_error = EPERM;
  EXPECT_THAT(refusal_of(0, system), AllOf(HasSubstr("move_pages"), HasSubstr("SYS_NICE")));
  system.locate_error = 0;
  system.prefer_error = ENOSYS;
  EXPECT_THAT(refusal_of(0, system), HasSubstr("this kernel has no NUMA nodes"));
  system.prefer_error = EINVAL;
  EXPECT_THAT(refusal_of(0, system), HasSubstr("Invalid argument"));
}

TEST(numa_node, takes_no_memory_that_others_place) {
  EXPECT_THAT(detail::why_not_on_its_node(on_node(managed, 0)), Optional(HasSubstr("driver")));
  EXPECT_THAT(detail::why_not_on_its_node(on_node(pinned(pin_flags::write_combined), 0)),
              Optional(HasSubstr("write-combined")));
  EXPECT_EQ(detail::why_not_on_its_node(managed), std::nullopt);
  EXPECT_EQ(detail::why_not_on_its_node(on_node(pinned(), 1), made_up_system()), std::nullopt);
}

TEST(numa_pages, elsewhere_are_an_error_with_their_number) {
  made_up_system system;
  system.total = 4096;
  system.elsewhere = 12;
  const auto allocate = [&] {
    static_cast<void>(map_pages(4096 * page, page_size::base, first_touch::by_caller, 1, system));
  };
  EXPECT_THAT(complaint_of<out_of_memory>(allocate),
              AllOf(HasSubstr("12 of 4096 pages lie on node 0"), HasSubstr("not on node 1")));
}

TEST(numa_pages, elsewhere_are_moved_if_the_node_has_room) {
  made_up_system system;
  system.total = 5000;
  system.elsewhere = 1;
  system.gathers = true;
  EXPECT_NO_THROW(static_cast<void>(
      map_pages(5000 * page, page_size::base, first_touch::by_caller, 1, system)));
  EXPECT_EQ(system.located, 5000U) << "each page is looked up";
}

TEST(numa_pages, that_cannot_be_located_are_not_verified) {
  made_up_system system;
  system.total = 8;
  system.elsewhere = 3;
  system.place_of_others = -ENOENT;
  const auto allocate = [&] {
    static_cast<void>(map_pages(8 * page, page_size::base, first_touch::by_caller, 1, system));
  };
  EXPECT_THAT(complaint_of<unsupported>(allocate), HasSubstr("3 of 8 pages cannot be located"));
}

TEST(numa_memory, has_its_node_in_its_name) {
  EXPECT_EQ(to_string(on_node(pinned(), 1)), "pinned@node1");
  EXPECT_EQ(to_string(on_node(pageable, 0)), "pageable@node0");
  EXPECT_EQ(describe(on_node(pinned(pin_flags::mapped), 1)),
            "ordinary memory page-locked by cudaHostRegister(DEVICEMAP), on NUMA node 1");
  EXPECT_NE(on_node(pinned(), 0), pinned());
  EXPECT_TRUE(is_page_locked(on_node(pinned(), 1)));
}

TEST(numa_memory, of_the_host_device_lies_on_its_node) {
  if (const auto reason = detail::why_no_node(0)) GTEST_SKIP() << *reason;
  const auto device = open_host_device();
  for (const auto plain : all_host_memory_kinds()) {
    const auto kind = on_node(plain, 0);
    if (const auto reason = device->why_unsupported(kind)) {
      EXPECT_TRUE(device->why_unsupported(plain).has_value()) << *reason;
      EXPECT_THROW(static_cast<void>(device->allocate_host(page, kind)), unsupported);
      continue;
    }
    const auto block = device->allocate_host(3 * page + 5, kind);
    EXPECT_EQ(block.kind(), kind);
    EXPECT_NO_THROW(detail::verify_node(block.bytes(), 0)) << to_string(kind);
    EXPECT_THAT(complaint_of<out_of_memory>([&] { detail::verify_node(block.bytes(), 1); }),
                HasSubstr("4 of 4 pages lie on node 0"));
  }
}

TEST(numa_memory, of_a_node_that_is_not_there_is_unsupported) {
  const auto device = open_host_device();
  const auto kind = on_node(pinned(), 1000);
  EXPECT_NE(device->why_unsupported(kind), std::nullopt);
  EXPECT_THROW(static_cast<void>(device->allocate_host(page, kind)), unsupported);
}

}  // namespace
}  // namespace transfers::numa_test
