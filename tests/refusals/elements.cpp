// Elements and arguments that cannot be copied byte by byte.
#include <string>
#include <transfers/transfers.hpp>
#include <vector>

using namespace transfers;

#if CASE == 1
// expect: elements must be trivially copyable
void refused(const context& gpu) { const device_buffer<std::string> buffer(gpu, 3); }
#elif CASE == 2
// expect: elements must be trivially copyable
void refused(const context& gpu) { const gpu_array<std::string> array(gpu, {3}); }
#elif CASE == 3
// expect: elements must be trivially copyable
void refused() { const host_buffer<std::string> buffer(3); }
#elif CASE == 4
// expect: kernel arguments must be trivially copyable
auto refused() {
  return host_function("f", [](const thread_index&, std::string) {});
}
#elif CASE == 5
// expect: elements must be trivially copyable
void refused(const context& gpu, const std::vector<std::string>& source) {
  call(
      gpu, [](const std::string*) {}, in(source));
}
#elif CASE == 6
// expect: kernel arguments must be trivially copyable
auto refused(const function& kernel) { return kernel.prepare<std::string>(); }
#elif CASE == 7
// expect: no matching function for call to
// Elements of std::vector<bool> have no addresses.
void refused(const context& gpu, const std::vector<bool>& source) {
  static_cast<void>(to_gpu(gpu, source));
}
#elif CASE == 8
// expect: elements must be trivially copyable
void refused(const context& gpu, const std::vector<std::string>& source) {
  static_cast<void>(to_gpu(gpu, source));
}
#elif CASE == 9
// expect: elements must be trivially copyable
struct with_virtual {
  virtual int value() { return 5; }
};
void refused(const context& gpu, const std::vector<with_virtual>& source) {
  static_cast<void>(to_gpu(gpu, source));
}
#endif
