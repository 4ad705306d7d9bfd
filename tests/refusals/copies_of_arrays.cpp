// Copying is explicit: a host_array and a gpu_array have copy().
#include <string>
#include <transfers/transfers.hpp>
#include <vector>

using namespace transfers;

#if CASE == 1
// expect: use of deleted function 'transfers::host_array<T>::host_array(
// expect: call to deleted constructor of 'host_array<float>'
void copy(host_array<float>& array) { auto other = array; }
#elif CASE == 2
// expect: use of deleted function 'transfers::gpu_array<T>::gpu_array(
// expect: call to deleted constructor of 'gpu_array<float>'
void copy(gpu_array<float>& array) { auto other = array; }
#elif CASE == 3
// expect: use of deleted function 'transfers::gpu_array<T>& transfers::gpu_array<T>::operator=(
// expect: overload resolution selected deleted operator '='
void copy(gpu_array<float>& array, const gpu_array<float>& other) { array = other; }
#elif CASE == 4
// expect: use of deleted function 'transfers::gpu_array<T>::gpu_array(
// expect: call to deleted constructor of 'transfers::gpu_array<float>'
void copy(gpu_array<float>& array) { auto matrix = array.reshape({2, 2}); }
#elif CASE == 5
// expect: use of deleted function 'transfers::device_buffer<float>::device_buffer(
// expect: call to implicitly-deleted copy constructor of 'device_buffer<float>'
void copy(device_buffer<float>& buffer) { auto other = buffer; }
#elif CASE == 6
// expect: use of deleted function 'transfers::host_buffer<float>::host_buffer(
// expect: call to implicitly-deleted copy constructor of 'host_buffer<float>'
void copy(host_buffer<float>& buffer) { auto other = buffer; }
#elif CASE == 7
// expect: conversion from 'transfers::host_array<char>' to non-scalar type
// expect: no viable conversion from 'host_array<char>' to
void copy(const gpu_array<char>& array) { const std::string text = array.get(); }
#elif CASE == 8
// expect: both ends of a copy must have the same type: nothing is converted on the way
void copy(const gpu_array<float>& array, std::vector<int>& dst) { array.get(dst); }
#elif CASE == 9
// expect: both ends of a copy must have the same type: nothing is converted on the way
void copy(gpu_array<float>& array, const std::vector<double>& src) { array.set(src); }
#elif CASE == 10
// expect: both ends of a copy must have the same type: nothing is converted on the way
void copy(gpu_array<float>& array, const std::vector<double>& src) { array.set_async(src); }
#elif CASE == 11
// expect: both ends of a copy must have the same type: nothing is converted on the way
void copy(const device_buffer<float>& buffer, std::vector<double>& dst) { buffer.copy_to(dst); }
#elif CASE == 12
// expect: both ends of a copy must have the same type: nothing is converted on the way
void copy(const gpu_array<float>& array, std::vector<int>& dst) {
  array.get(strided_view<int>(dst, {3}, {2}));
}
#elif CASE == 13
// expect: no matching function for call to 'transfers::gpu_array<float>::set(
// expect: no matching member function for call to 'set'
void copy(gpu_array<float>& array, gpu_array<double>& src) { array.set(src); }
#elif CASE == 14
// expect: from expression of type 'int'
// expect: no matching function for call to 'zeros'
auto make(const context& gpu, int n) { return zeros<float>(gpu, n); }
#elif CASE == 15
// expect: from expression of type '<brace-enclosed initializer list>'
// expect: no matching function for call to 'zeros'
auto make(const context& gpu, double n) { return zeros<float>(gpu, {n}); }
#endif
