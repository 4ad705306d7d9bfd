// What a newcomer writes first, and the library refuses. What compiles is in
// tests/unit/transfers/first_programs_test.cpp.
#include <span>
#include <string>
#include <transfers/transfers.hpp>
#include <vector>

using namespace transfers;

#if CASE == 1
// expect: a kernel cannot access a host range as it is: mark it with in(), out() or in_out()
void launch(const context& gpu, std::vector<float>& a, std::vector<float>& d) {
  auto k = host_function("k", [](const thread_index&, float*, const float*) {});
  k(gpu, {.block = {2}}, d, a);
}
#elif CASE == 2
// expect: an argument does not have the type of the kernel's parameter: nothing is converted
void launch(const context& gpu, std::vector<float>& y) {
  auto k = host_function("axpy", [](const thread_index&, float*, float, int) {});
  k(gpu, {.block = {2}}, in_out(y), 2.0, 2);
}
#elif CASE == 3
// expect: an argument does not have the type of the kernel's parameter: nothing is converted
void launch(const context& gpu, std::vector<float>& y) {
  auto k = host_function("axpy", [](const thread_index&, float*, float, int) {});
  k(gpu, {.block = {2}}, in_out(y), 2, 2);
}
#elif CASE == 4
// expect: an argument does not have the type of the kernel's parameter: nothing is converted
void launch(const context& gpu, std::vector<double>& y) {
  auto k = host_function("axpy", [](const thread_index&, float*, float, int) {});
  k(gpu, {.block = {2}}, in_out(y), 2.0F, 2);
}
#elif CASE == 5
// expect: conversion from 'transfers::host_array<char>' to non-scalar type 'std::string'
// expect: no viable conversion from 'host_array<char>' to 'std::string'
void get(const context& gpu) {
  auto d = to_gpu(gpu, std::string("stuff"));
  std::string s = d.get();
}
#elif CASE == 6
// expect: use of deleted function 'transfers::gpu_array<T>::gpu_array(
// expect: call to deleted constructor of
void reshape(const context& gpu) {
  auto a = to_gpu(gpu, std::vector<float>{1, 2, 3, 4});
  auto b = a.reshape({2, 2});
}
#elif CASE == 7
// expect: the host cannot access an element of device memory: get() copies the array
void index(const context& gpu) {
  auto a = to_gpu(gpu, std::vector<float>{1, 2, 3, 4});
  auto b = a[1];
}
#elif CASE == 8
// expect: a kernel cannot calculate with host memory: pass a device_view
void calculate_part(const context& gpu) {
  auto a = to_gpu(gpu, std::vector<float>{1, 2, 3, 4});
  std::span<float> part(a.data() + 1, 2);
  calculate(gpu.stream(), arithmetic::multiply, part, 10);
}
#elif CASE == 9
// expect: use of deleted function 'transfers::gpu_array<T>::gpu_array(
// expect: call to deleted constructor of
void copy(const context& gpu) {
  auto a = zeros<float>(gpu, {4});
  auto b = a;
}
#elif CASE == 10
// expect: use of deleted function 'transfers::host_array<T>::host_array(
// expect: call to deleted constructor of 'host_array<float>'
void copy() {
  host_array<float> a({2, 2});
  host_array<float> b = a;
}
#elif CASE == 11
// expect: in() refers to a range, which must outlive it: it must not be a temporary
void keep(const context& gpu) { auto arg = in(std::vector<float>{1, 2, 3}); }
#elif CASE == 12
// expect: no member named 'span_on_device'
void measure(const context& gpu) {
  auto a = zeros<float>(gpu, {1000});
  auto t = gpu.stream().span_on_device([] {}, [&] { a *= 2; });
}
#elif CASE == 13
// expect: no match for 'operator*'
// expect: invalid operands to binary expression
void multiply() {
  host_array<float> a({2}), b({2});
  auto c = a * b;
}
#endif
