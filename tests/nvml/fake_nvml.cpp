// Stands in for the driver's management library, in the versions that CMakeLists.txt lists.
#include <nvml.h>

#include <string_view>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

int open_count = 0;
unsigned long long reasons_now = ~0ULL;  // all bits set
nvmlReturn_t mig_answer = NVML_SUCCESS;
unsigned mig_mode = NVML_DEVICE_MIG_DISABLE;

nvmlDevice_t gpu() {
  static char device;
  return reinterpret_cast<nvmlDevice_t>(&device);
}

template <class Value>
nvmlReturn_t answer(nvmlDevice_t device, Value* result, Value value) {
  if (open_count != 1) return NVML_ERROR_UNINITIALIZED;
  if (device != gpu()) return NVML_ERROR_INVALID_ARGUMENT;
  *result = value;
  return NVML_SUCCESS;
}

}  // namespace

extern "C" {

int fake_nvml_open_count() { return open_count; }

void fake_nvml_set_reasons(unsigned long long bits) { reasons_now = bits; }

void fake_nvml_set_mig(nvmlReturn_t answer, unsigned mode) {
  mig_answer = answer;
  mig_mode = mode;
}

nvmlReturn_t nvmlInit_v2() {
#ifdef FAKE_NVML_WITHOUT_DRIVER
  return NVML_ERROR_DRIVER_NOT_LOADED;
#else
  ++open_count;
  return NVML_SUCCESS;
#endif
}

nvmlReturn_t nvmlShutdown() {
  --open_count;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* address, nvmlDevice_t* device) {
  if (std::string_view(address) != "0000:06:00.0") return NVML_ERROR_NOT_FOUND;
  return answer(gpu(), device, gpu());
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* mhz) {
#ifdef FAKE_NVML_OLD
  if (type == NVML_CLOCK_MEM) return NVML_ERROR_NOT_SUPPORTED;
#endif
  return answer(device, mhz, type == NVML_CLOCK_SM ? 1755U : type == NVML_CLOCK_MEM ? 3201U : 0U);
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* mhz) {
  return answer(device, mhz, type == NVML_CLOCK_SM ? 1980U : type == NVML_CLOCK_MEM ? 3202U : 0U);
}

#ifdef FAKE_NVML_OLD
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device,
                                                       unsigned long long* reasons) {
  return answer(device, reasons, 0x8ULL | 0x10ULL);
}
#else
nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device,
                                                    unsigned long long* reasons) {
  return answer(device, reasons, reasons_now);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device,
                                                       unsigned long long* reasons) {
  return answer(device, reasons, 0ULL);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor,
                                      unsigned* celsius) {
  return answer(device, celsius, sensor == NVML_TEMPERATURE_GPU ? 64U : 0U);
}

nvmlReturn_t nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned words, unsigned long* mask,
                                         nvmlAffinityScope_t scope) {
  if (scope != NVML_AFFINITY_SCOPE_NODE || words != 16) return NVML_ERROR_INVALID_ARGUMENT;
  mask[1] = 1;
  return answer(device, mask, 0b10UL);
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned* current, unsigned* pending) {
  if (mig_answer != NVML_SUCCESS) return mig_answer;
  *pending = NVML_DEVICE_MIG_ENABLE;  // after the next reset
  return answer(device, current, mig_mode);
}

nvmlReturn_t nvmlDeviceGetPcieReplayCounter(nvmlDevice_t device, unsigned* replays) {
  return answer(device, replays, 12U);
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return answer(device, mode, NVML_FEATURE_ENABLED);
}

nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type,
                                            unsigned* mhz) {
  return answer(device, mhz, type == NVML_CLOCK_SM ? 1200U : 0U);
}

nvmlReturn_t nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device, nvmlClockType_t type,
                                                   unsigned* mhz) {
  return answer(device, mhz, type == NVML_CLOCK_SM ? 1980U : 0U);
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned* limit) {
  return answer(device, limit, 500'000U);
}

nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned* limit) {
  return answer(device, limit, 700'000U);
}

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t* current,
                                  nvmlEnableState_t* pending) {
  *pending = NVML_FEATURE_DISABLED;  // after the next reset
  return answer(device, current, NVML_FEATURE_ENABLED);
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                         nvmlEccCounterType_t counter, unsigned long long* errors) {
  const bool asked = type == NVML_MEMORY_ERROR_TYPE_UNCORRECTED && counter == NVML_VOLATILE_ECC;
  return answer(device, errors, asked ? 3ULL : 0ULL);
}

nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned* corrected,
                                       unsigned* uncorrected, unsigned* pending, unsigned* failed) {
  *corrected = *uncorrected = *failed = 0;
  return answer(device, pending, 1U);
}

nvmlReturn_t nvmlSystemGetConfComputeState(nvmlConfComputeSystemState_t* state) {
  *state = {.environment = 2, .ccFeature = NVML_CC_SYSTEM_FEATURE_ENABLED, .devToolsMode = 0};
  return open_count == 1 ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned* generation) {
  return answer(device, generation, 3U);
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned* width) {
  return answer(device, width, 8U);
}

nvmlReturn_t nvmlDeviceGetGpuMaxPcieLinkGeneration(nvmlDevice_t device, unsigned* generation) {
  return answer(device, generation, 5U);
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned* width) {
  return answer(device, width, 16U);
}
#endif

}  // extern "C"
