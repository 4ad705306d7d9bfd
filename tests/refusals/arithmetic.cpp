// Arithmetic and fills of types that have none.
#include <array>
#include <complex>
#include <cstdint>
#include <transfers/transfers.hpp>

using namespace transfers;

#if CASE == 1
// expect: arithmetic is for 32- and 64-bit integers, float and double
auto refused(const gpu_array<char>& array) { return array + array; }
#elif CASE == 2
// expect: arithmetic is for 32- and 64-bit integers, float and double
using complex = std::complex<float>;
auto refused(const gpu_array<complex>& array) { return 2 * array; }
#elif CASE == 3
// expect: arithmetic is for 32- and 64-bit integers, float and double
void refused(gpu_array<half>& array) { array += array; }
#elif CASE == 4
// expect: arithmetic is for arrays of one element type
auto refused(const gpu_array<float>& a, const gpu_array<double>& b) { return a + b; }
#elif CASE == 5
// expect: the other operand must be a number
auto refused(const gpu_array<std::int32_t>& array) { return true + array; }
#elif CASE == 6
// expect: arrays on a device have no comparisons
auto refused(const gpu_array<float>& array) { return array > 1.5F; }
#elif CASE == 7
// expect: no match for 'operator*'
// expect: invalid operands to binary expression
auto refused(const host_array<float>& a, const host_array<float>& b) { return a * b; }
#elif CASE == 8
// expect: only elements of 1, 2, 4, 8 and 16 bytes can fill an array
using triple = std::array<float, 3>;
void refused(gpu_array<triple>& array) { fill(array, {1, 2, 3}); }
#elif CASE == 9
// expect: would lose its fraction
auto refused(const gpu_array<std::int32_t>& array) { return array + 2.5; }
#elif CASE == 10
// expect: would lose its fraction
void refused(gpu_array<std::int32_t>& array) { array *= 2.5; }
#elif CASE == 11
// expect: arithmetic is for 32- and 64-bit integers, float and double
auto refused(const gpu_array<std::uint8_t>& array) { return -array; }
#elif CASE == 12
// expect: reductions are for 32- and 64-bit integers, float and double
auto refused(const gpu_array<std::uint8_t>& array) { return sum(array); }
#endif
