#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench_transfers::topology {

/// No host has more: a set of devices is one machine word.
inline constexpr std::size_t most_devices = 64;

/// Devices of a host by their indices, which are smaller than most_devices.
class device_set {
 public:
  constexpr device_set() = default;
  static constexpr device_set of(std::size_t device) {
    return device_set(std::uint64_t{1} << device);
  }
  /// The devices 0 to count - 1.
  static constexpr device_set up_to(std::size_t count) {
    return device_set(count >= most_devices ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
  }
  static device_set of(const std::vector<std::size_t>& members) {
    device_set set;
    for (const auto device : members) set = set | of(device);
    return set;
  }

  [[nodiscard]] constexpr std::size_t size() const {
    return static_cast<std::size_t>(std::popcount(bits_));
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool contains(std::size_t device) const {
    return ((bits_ >> device) & 1) != 0;
  }
  [[nodiscard]] constexpr bool contains(device_set other) const { return (other - *this).empty(); }
  /// The smallest index; the set is not empty.
  [[nodiscard]] constexpr std::size_t front() const {
    return static_cast<std::size_t>(std::countr_zero(bits_));
  }
  /// In ascending order.
  [[nodiscard]] std::vector<std::size_t> members() const {
    std::vector<std::size_t> list;
    for (auto rest = *this; !rest.empty(); rest = rest - of(rest.front()))
      list.push_back(rest.front());
    return list;
  }

  friend constexpr device_set operator|(device_set lhs, device_set rhs) {
    return device_set(lhs.bits_ | rhs.bits_);
  }
  friend constexpr device_set operator&(device_set lhs, device_set rhs) {
    return device_set(lhs.bits_ & rhs.bits_);
  }
  friend constexpr device_set operator-(device_set lhs, device_set rhs) {
    return device_set(lhs.bits_ & ~rhs.bits_);
  }
  friend constexpr auto operator<=>(device_set, device_set) = default;

 private:
  constexpr explicit device_set(std::uint64_t bits) : bits_(bits) {}

  std::uint64_t bits_ = 0;
};

/// Neither crosses the other: one contains the other, or they share nothing.
constexpr bool nested_or_apart(device_set lhs, device_set rhs) {
  return (lhs & rhs).empty() || lhs.contains(rhs) || rhs.contains(lhs);
}

enum class direction { h2d, d2h };

/// What each device of a set does, and the flows that a capacity holds for.
enum class traffic { h2d, d2h, both };
inline constexpr traffic every_traffic[] = {traffic::h2d, traffic::d2h, traffic::both};

/// Copies that run at the same time: for each direction the devices that copy.
struct flow_set {
  device_set h2d, d2h;

  [[nodiscard]] std::size_t size() const { return h2d.size() + d2h.size(); }
  [[nodiscard]] device_set devices() const { return h2d | d2h; }
  [[nodiscard]] bool contains(const flow_set& other) const {
    return h2d.contains(other.h2d) && d2h.contains(other.d2h);
  }
  friend flow_set operator|(const flow_set& lhs, const flow_set& rhs) {
    return {lhs.h2d | rhs.h2d, lhs.d2h | rhs.d2h};
  }
  friend flow_set operator&(const flow_set& lhs, const flow_set& rhs) {
    return {lhs.h2d & rhs.h2d, lhs.d2h & rhs.d2h};
  }
  friend flow_set operator-(const flow_set& lhs, const flow_set& rhs) {
    return {lhs.h2d - rhs.h2d, lhs.d2h - rhs.d2h};
  }
  friend auto operator<=>(const flow_set&, const flow_set&) = default;
};

/// Each device copies in this direction, or in both at once.
constexpr flow_set flows_of(device_set devices, traffic kind) {
  return {kind == traffic::d2h ? device_set{} : devices,
          kind == traffic::h2d ? device_set{} : devices};
}

/// One copy. In lists, flows are in the order of the devices, h2d before d2h.
struct flow {
  std::size_t device;
  topology::direction direction;

  friend auto operator<=>(const flow&, const flow&) = default;
};

constexpr flow_set set_of(flow flow) {
  return flows_of(device_set::of(flow.device),
                  flow.direction == direction::h2d ? traffic::h2d : traffic::d2h);
}

inline std::vector<flow> list_of(const flow_set& flows) {
  std::vector<flow> list;
  for (const auto device : flows.devices().members()) {
    if (flows.h2d.contains(device)) list.push_back({device, direction::h2d});
    if (flows.d2h.contains(device)) list.push_back({device, direction::d2h});
  }
  return list;
}

/// The words of result files and of the command line: "h2d", "d2h", "both".
constexpr const char* to_string(traffic kind) {
  return kind == traffic::h2d ? "h2d" : kind == traffic::d2h ? "d2h" : "both";
}

}  // namespace bench_transfers::topology
