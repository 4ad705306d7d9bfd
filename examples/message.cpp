// A message to the device and its answer, with the least possible latency: a running kernel polls
// for messages. Your own kernels can answer them with transfers/fast/mailbox.cuh. PyCUDA: two
// memcpys and a synchronisation
#include <chrono>
#include <iostream>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';

  transfers::mailbox box(*device, transfers::echo_service(*device));
  box.start();

  constexpr std::uint32_t messages = 1000;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint32_t i = 0; i < messages; ++i)
    if (const auto answer = box.exchange(i); answer != i) {
      std::cerr << "Wrong: the echo of " << i << " is " << answer << ".\n";
      return 1;
    }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  std::cout << messages << " messages were answered, each within " << time.count() / messages
            << " microseconds on average.\n";
}
