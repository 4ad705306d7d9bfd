#include "bench/device_clock/device_clock.hpp"

#include <future>
#include <memory>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/moved_clock.hpp"
#include "transfers/host/host_device.hpp"

namespace bench_transfers::bench::device_clock_test {
namespace {

constexpr std::size_t bytes = std::size_t{1} << 20;

/// A device whose link moves a byte in a nanosecond, by a clock that the test moves.
class a_linked_device : public testing::Test {
 protected:
  transfers::moved_clock time;
  std::unique_ptr<transfers::device> device =
      transfers::open_host_device(transfers::host_device_options{
          .link = std::make_shared<transfers::emulated_link>(
              transfers::link_description{"test", 1e9, 1e9, 0}, time.functions())});
  std::unique_ptr<transfers::stream> stream = device->create_stream();
  transfers::device_memory memory = device->allocate(bytes);
  std::vector<std::byte> host = std::vector<std::byte>(bytes);

  void upload() { stream->copy(memory.data(), host.data(), bytes, transfers::direction::h2d); }

  /// In nanoseconds.
  double span(int before, int timed) {
    time.expect(1);
    auto result = std::async(std::launch::async, [&] {
      return device_clock(*device).span(
          *stream, [&] { upload_times(before); },
          [&] {
            upload_times(timed);
            stream->call([this] { time.leave(); });
          });
    });
    time.run();
    return result.get().value().count();
  }

 private:
  void upload_times(int times) {
    for (int i = 0; i < times; ++i) upload();
  }
};

TEST_F(a_linked_device, has_a_clock_that_times_what_comes_after_other_work) {
  constexpr double tolerance = 20;  // nanoseconds: wake-ups are rounded up
  for (const int before : {0, 1, 3})
    for (const int timed : {0, 1, 2})
      EXPECT_NEAR(span(before, timed), timed * static_cast<double>(bytes), tolerance) << before;
}

TEST_F(a_linked_device, throws_what_a_called_function_throws) {
  EXPECT_THROW(static_cast<void>(device_clock(*device).span(
                   *stream, [] {}, [&] { stream->call([] { throw std::domain_error("no"); }); })),
               std::domain_error);
}

TEST(a_host_device, has_no_clock_of_its_own) {
  const auto device = transfers::open_host_device();
  const auto stream = device->create_stream();
  bool enqueued = false;
  EXPECT_FALSE(device_clock(*device).span(
      *stream, [&] { enqueued = true; }, [&] { enqueued = true; }));
  EXPECT_FALSE(enqueued);
}

}  // namespace
}  // namespace bench_transfers::bench::device_clock_test
