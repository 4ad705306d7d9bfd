// Arguments that are not those of a kernel with known parameters.
#include <string>
#include <transfers/transfers.hpp>
#include <vector>

using namespace transfers;

const auto scale = host_function("scale", [](const thread_index&, float*, float) {});

#if CASE == 1
// expect: an argument does not have the type of the kernel's parameter: nothing is converted
void launch(const context& gpu, gpu_array<float>& array) { scale(gpu, {}, array, 2); }
#elif CASE == 2
// expect: an argument does not have the type of the kernel's parameter: nothing is converted
void launch(const context& gpu, gpu_array<float>& array) { scale(gpu, {}, array, 2.0); }
#elif CASE == 3
// expect: an argument does not have the type of the kernel's parameter: nothing is converted
void launch(const context& gpu, gpu_array<double>& array) { scale(gpu, {}, array, 2.0F); }
#elif CASE == 4
// expect: the kernel writes to a parameter whose argument is const
void launch(const context& gpu, const gpu_array<float>& array) { scale(gpu, {}, array, 2.0F); }
#elif CASE == 5
// expect: the kernel writes to a parameter whose argument is const
void launch(const context& gpu, device_view<const float> view) { scale(gpu, {}, view, 2.0F); }
#elif CASE == 6
// expect: the kernel writes to a parameter whose argument is const
void launch(const context& gpu, const host_array<float>& array) { scale(gpu, {}, array, 2.0F); }
#elif CASE == 7
// expect: the kernel writes to a parameter whose argument is const
void launch(const context& gpu, std::vector<float>& range) { scale(gpu, {}, in(range), 2.0F); }
#elif CASE == 8
// expect: an argument does not have the type of the kernel's parameter: nothing is converted
void launch(const context& gpu, std::vector<double>& range) { scale(gpu, {}, in_out(range), 2.0F); }
#elif CASE == 9
// expect: an argument does not have the type of the kernel's parameter: nothing is converted
void launch(const context& gpu, gpu_array<float>& array) {
  scale(gpu, {}, array, std::string("2"));
}
#elif CASE == 10
// expect: an argument does not have the type of the kernel's parameter: nothing is converted
void launch(const context& gpu, gpu_array<float>& array) { scale(gpu, {}, 2.0F, array); }
#elif CASE == 11
// expect: a kernel cannot access a host range as it is: mark it with in(), out() or in_out()
void launch(const context& gpu, std::vector<float>& range) { scale(gpu, {}, range, 2.0F); }
#elif CASE == 12
// expect: the kernel has another number of parameters
void launch(const context& gpu, gpu_array<float>& array) { scale(gpu, {}, array); }
#elif CASE == 13
// expect: the kernel has another number of parameters
void launch(const context& gpu, gpu_array<float>& array) { scale(gpu, {}, array, 2.0F, 3); }
#elif CASE == 14
// expect: kernel arguments are passed by value: a kernel cannot refer to the caller's
auto function_of_a_reference() {
  return host_function("f", [](const thread_index&, float&) {});
}
#elif CASE == 15
// expect: no match for call to '(const prepared_function<float*, float>)
// expect: no match for call to '(const transfers::prepared_function<float*, float>)
// expect: no matching function for call to object of type
void launch(stream& stream, const gpu_array<float>& array) {
  const auto prepared = scale.prepare();
  prepared(stream, {}, array.data(), 2.0F);
}
#endif
