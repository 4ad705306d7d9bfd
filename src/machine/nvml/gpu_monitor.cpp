#include "src/machine/gpu_monitor.hpp"

#include <dlfcn.h>
#include <nvml.h>  // for types: nothing of NVML is linked

#include <array>
#include <climits>
#include <tuple>
#include <type_traits>
#include <utility>

// The names that every driver knows are deprecated since CUDA 13.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace bench_transfers::machine {

namespace {

/// Closes an opened library, and shuts it down first if it was initialised.
struct closer {
  decltype(&nvmlShutdown) shut_down = nullptr;

  void operator()(void* library) const noexcept {
    if (shut_down) {
      shut_down();
    }
    dlclose(library);
  }
};
using nvml_library = std::unique_ptr<void, closer>;

/// Null if this version of the library has no such function.
template <class Function>
Function find(const nvml_library& library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library.get(), name));
}

/// The initialised library; null if that is not possible.
nvml_library open(const std::string& name) {
  nvml_library opened(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!opened) {
    return nullptr;
  }
  const auto initialise = find<decltype(&nvmlInit_v2)>(opened, "nvmlInit_v2");
  const auto shut_down = find<decltype(&nvmlShutdown)>(opened, "nvmlShutdown");
  if (!initialise || !shut_down || initialise() != NVML_SUCCESS) {
    return nullptr;
  }
  opened.get_deleter().shut_down = shut_down;
  return opened;
}

/// Nullopt if there is no such function or it fails.
template <class Value, class... Arguments, class... Given>
std::optional<Value> ask(nvmlReturn_t (*function)(nvmlDevice_t, Arguments...), nvmlDevice_t gpu,
                         Given... given) {
  Value value{};
  if (!function || function(gpu, given..., &value) != NVML_SUCCESS) {
    return std::nullopt;
  }
  return value;
}

throttle_reasons decoded(unsigned long long bits) {
  constexpr std::array<std::pair<unsigned long long, const char*>, 6> names{{
      {nvmlClocksThrottleReasonSwPowerCap, "sw_power_cap"},
      {nvmlClocksThrottleReasonHwSlowdown, "hw_slowdown"},
      {nvmlClocksThrottleReasonSyncBoost, "sync_boost"},
      {nvmlClocksThrottleReasonSwThermalSlowdown, "sw_thermal_slowdown"},
      {nvmlClocksThrottleReasonHwThermalSlowdown, "hw_thermal_slowdown"},
      {nvmlClocksThrottleReasonHwPowerBrakeSlowdown, "hw_power_brake_slowdown"},
  }};
  throttle_reasons reasons;
  for (const auto& [bit, name] : names) {
    if ((bits & bit) != 0) {
      reasons.insert(name);
    }
  }
  return reasons;
}

std::optional<bool> is_enabled(std::optional<nvmlEnableState_t> state) {
  return state ? std::optional(*state == NVML_FEATURE_ENABLED) : std::nullopt;
}

/// What a function of NVML writes through its last argument.
template <class Function>
struct written_by;
template <class... Arguments>
struct written_by<nvmlReturn_t (*)(Arguments...)> {
  using type = std::remove_pointer_t<
      std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>>;
};

class nvml_monitor final : public gpu_monitor {
 public:
  nvml_monitor(nvml_library library, nvmlDevice_t gpu)
      : library_(std::move(library)),
        gpu_(gpu),
        clock_(find<decltype(clock_)>(library_, "nvmlDeviceGetClockInfo")),
        reasons_(find<decltype(reasons_)>(library_, "nvmlDeviceGetCurrentClocksEventReasons")),
        temperature_(find<decltype(temperature_)>(library_, "nvmlDeviceGetTemperature")),
        replays_(find<decltype(replays_)>(library_, "nvmlDeviceGetPcieReplayCounter")),
        affinity_(find<decltype(affinity_)>(library_, "nvmlDeviceGetMemoryAffinity")),
        mig_mode_(find<decltype(mig_mode_)>(library_, "nvmlDeviceGetMigMode")) {
    if (!reasons_) {  // its name before version 535 of the driver
      reasons_ = find<decltype(reasons_)>(library_, "nvmlDeviceGetCurrentClocksThrottleReasons");
    }
    const auto max_clock =
        find<decltype(&nvmlDeviceGetMaxClockInfo)>(library_, "nvmlDeviceGetMaxClockInfo");
    sm_max_mhz_ = ask<unsigned>(max_clock, gpu_, NVML_CLOCK_SM);
    memory_max_mhz_ = ask<unsigned>(max_clock, gpu_, NVML_CLOCK_MEM);
  }

  [[nodiscard]] gpu_clocks read() const override {
    gpu_clocks current;
    current.sm_mhz = ask<unsigned>(clock_, gpu_, NVML_CLOCK_SM);
    if (const auto bits = ask<unsigned long long>(reasons_, gpu_)) {
      current.throttled_by = decoded(*bits);
    }
    current.memory_mhz = ask<unsigned>(clock_, gpu_, NVML_CLOCK_MEM);
    current.temperature_c = ask<unsigned>(temperature_, gpu_, NVML_TEMPERATURE_GPU);
    current.pcie_replays = ask<unsigned>(replays_, gpu_);
    current.sm_max_mhz = sm_max_mhz_;
    current.memory_max_mhz = memory_max_mhz_;
    return current;
  }

  /// Each function is looked up when it is called, since that happens once.
  [[nodiscard]] gpu_settings settings() const override {
    gpu_settings set;
    set.link = link();  // first: a link that nothing uses any more falls asleep
    set.persistence =
        is_enabled(answer<decltype(&nvmlDeviceGetPersistenceMode)>("nvmlDeviceGetPersistenceMode"));
    set.application_sm_mhz = answer<decltype(&nvmlDeviceGetApplicationsClock)>(
        "nvmlDeviceGetApplicationsClock", NVML_CLOCK_SM);
    set.default_application_sm_mhz = answer<decltype(&nvmlDeviceGetDefaultApplicationsClock)>(
        "nvmlDeviceGetDefaultApplicationsClock", NVML_CLOCK_SM);
    set.power_limit_mw =
        answer<decltype(&nvmlDeviceGetEnforcedPowerLimit)>("nvmlDeviceGetEnforcedPowerLimit");
    set.default_power_limit_mw = answer<decltype(&nvmlDeviceGetPowerManagementDefaultLimit)>(
        "nvmlDeviceGetPowerManagementDefaultLimit");
    set.ecc = ecc();
    set.uncorrected_errors = answer<decltype(&nvmlDeviceGetTotalEccErrors)>(
        "nvmlDeviceGetTotalEccErrors", NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC);
    set.rows_to_remap = rows_to_remap();
    set.confidential = confidential();
    return set;
  }

  [[nodiscard]] std::optional<std::vector<int>> nearest_nodes() const override {
    constexpr std::size_t bits = sizeof(unsigned long) * CHAR_BIT;
    std::array<unsigned long, 1024 / bits> mask{};  // no kernel has more nodes
    if (!affinity_ || affinity_(gpu_, static_cast<unsigned>(mask.size()), mask.data(),
                                NVML_AFFINITY_SCOPE_NODE) != NVML_SUCCESS) {
      return std::nullopt;
    }
    std::vector<int> nodes;
    for (std::size_t i = 0; i < mask.size() * bits; ++i) {
      if ((mask[i / bits] >> (i % bits) & 1U) != 0) {
        nodes.push_back(static_cast<int>(i));
      }
    }
    return nodes;
  }

  [[nodiscard]] std::optional<bool> is_divided() const override {
    if (!mig_mode_) {
      return std::nullopt;
    }
    unsigned current = NVML_DEVICE_MIG_DISABLE;
    unsigned after_reset = NVML_DEVICE_MIG_DISABLE;
    switch (mig_mode_(gpu_, &current, &after_reset)) {
      case NVML_SUCCESS: return current == NVML_DEVICE_MIG_ENABLE;
      case NVML_ERROR_NOT_SUPPORTED: return false;  // a GPU that cannot be divided
      default: return std::nullopt;
    }
  }

 private:
  template <class Function, class... Given>
  [[nodiscard]] std::optional<typename written_by<Function>::type> answer(const char* name,
                                                                          Given... given) const {
    return ask<typename written_by<Function>::type>(find<Function>(library_, name), gpu_, given...);
  }

  [[nodiscard]] std::optional<bool> ecc() const {
    const auto mode = find<decltype(&nvmlDeviceGetEccMode)>(library_, "nvmlDeviceGetEccMode");
    nvmlEnableState_t current{}, pending{};
    if (!mode || mode(gpu_, &current, &pending) != NVML_SUCCESS) return std::nullopt;
    return current == NVML_FEATURE_ENABLED;
  }

  [[nodiscard]] std::optional<bool> rows_to_remap() const {
    const auto rows =
        find<decltype(&nvmlDeviceGetRemappedRows)>(library_, "nvmlDeviceGetRemappedRows");
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (!rows || rows(gpu_, &corrected, &uncorrected, &pending, &failed) != NVML_SUCCESS)
      return std::nullopt;
    return pending != 0;
  }

  [[nodiscard]] std::optional<bool> confidential() const {
    const auto state =
        find<decltype(&nvmlSystemGetConfComputeState)>(library_, "nvmlSystemGetConfComputeState");
    nvmlConfComputeSystemState_t current{};
    if (!state || state(&current) != NVML_SUCCESS) return std::nullopt;
    return current.ccFeature == NVML_CC_SYSTEM_FEATURE_ENABLED;
  }

  [[nodiscard]] std::optional<pcie_link> link() const {
    const auto generation = answer<decltype(&nvmlDeviceGetCurrPcieLinkGeneration)>(
        "nvmlDeviceGetCurrPcieLinkGeneration");
    const auto width =
        answer<decltype(&nvmlDeviceGetCurrPcieLinkWidth)>("nvmlDeviceGetCurrPcieLinkWidth");
    const auto most = answer<decltype(&nvmlDeviceGetGpuMaxPcieLinkGeneration)>(
        "nvmlDeviceGetGpuMaxPcieLinkGeneration");
    const auto widest =
        answer<decltype(&nvmlDeviceGetMaxPcieLinkWidth)>("nvmlDeviceGetMaxPcieLinkWidth");
    if (!generation || !width || !most || !widest) return std::nullopt;
    return pcie_link{static_cast<int>(*generation), static_cast<int>(*width),
                     static_cast<int>(*most), static_cast<int>(*widest)};
  }

  nvml_library library_;
  nvmlDevice_t gpu_;
  decltype(&nvmlDeviceGetClockInfo) clock_;
  decltype(&nvmlDeviceGetCurrentClocksThrottleReasons) reasons_;
  decltype(&nvmlDeviceGetTemperature) temperature_;
  decltype(&nvmlDeviceGetPcieReplayCounter) replays_;
  decltype(&nvmlDeviceGetMemoryAffinity) affinity_;
  decltype(&nvmlDeviceGetMigMode) mig_mode_;
  std::optional<unsigned> sm_max_mhz_;
  std::optional<unsigned> memory_max_mhz_;
};

}  // namespace

std::unique_ptr<gpu_monitor> monitor_gpu(std::string_view pci_bus_id, const std::string& library) {
  auto nvml = open(library);
  if (!nvml) {
    return nullptr;
  }
  const auto by_address =
      find<decltype(&nvmlDeviceGetHandleByPciBusId_v2)>(nvml, "nvmlDeviceGetHandleByPciBusId_v2");
  nvmlDevice_t gpu = nullptr;
  if (!by_address || by_address(std::string(pci_bus_id).c_str(), &gpu) != NVML_SUCCESS) {
    return nullptr;
  }
  return std::make_unique<nvml_monitor>(std::move(nvml), gpu);
}

bool built_with_nvml() { return true; }

}  // namespace bench_transfers::machine
