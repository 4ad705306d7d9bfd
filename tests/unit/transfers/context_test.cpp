#include "transfers/core/context.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/fast/round_trip.hpp"

namespace transfers::context_test {
namespace {

/// Its destructor appends its number to a list.
template <int number>
struct feature {
  explicit feature(std::vector<int>& ended) : ended_(ended) {}
  feature(const feature&) = delete;
  feature& operator=(const feature&) = delete;
  ~feature() { ended_.push_back(number); }

 private:
  std::vector<int>& ended_;
};

class context_slots : public testing::Test {
 protected:
  template <int number>
  [[nodiscard]] auto maker() {
    return [this] {
      ++made_;
      return std::make_shared<feature<number>>(ended_);
    };
  }

  counting_device device_;
  std::vector<int> ended_;
  int made_ = 0;
};

TEST_F(context_slots, hold_one_object_of_each_type_for_all_copies_of_a_context) {
  const context first(device_);
  const context copy = first;  // NOLINT(performance-unnecessary-copy-initialization): the point
  auto& object = first.slot<feature<1>>(maker<1>());
  EXPECT_EQ(&first.slot<feature<1>>(maker<1>()), &object);
  EXPECT_EQ(&copy.slot<feature<1>>(maker<1>()), &object);
  EXPECT_NE(static_cast<void*>(&copy.slot<feature<2>>(maker<2>())), static_cast<void*>(&object));
  EXPECT_EQ(made_, 2);
  const context another(device_);
  EXPECT_NE(&another.slot<feature<1>>(maker<1>()), &object);
}

TEST_F(context_slots, go_in_the_reverse_order_with_the_last_copy) {
  std::optional<context> copy;
  {
    const context first(device_);
    copy = first;
    static_cast<void>(first.slot<feature<1>>(maker<1>()));
    static_cast<void>(first.slot<feature<2>>(maker<2>()));
    static_cast<void>(first.slot<feature<3>>(maker<3>()));
  }
  EXPECT_THAT(ended_, IsEmpty());
  copy.reset();
  EXPECT_THAT(ended_, ElementsAre(3, 2, 1));
}

TEST_F(context_slots, outlive_objects_made_from_them) {
  {
    const context gpu(device_);
    static_cast<void>(gpu.slot<feature<1>>([&] {
      static_cast<void>(gpu.slot<feature<2>>(maker<2>()));
      return std::make_shared<feature<1>>(ended_);
    }));
  }
  EXPECT_THAT(ended_, ElementsAre(1, 2));
}

TEST_F(context_slots, are_made_again_after_a_failure) {
  const context gpu(device_);
  EXPECT_THROW(static_cast<void>(gpu.slot<feature<1>>(
                   []() -> std::shared_ptr<feature<1>> { throw std::runtime_error("not today"); })),
               std::runtime_error);
  static_cast<void>(gpu.slot<feature<1>>(maker<1>()));
  EXPECT_EQ(made_, 1);
}

TEST_F(context_slots, are_made_once_by_several_threads) {
  const context gpu(device_);
  std::vector<feature<1>*> objects(8);
  {
    std::vector<std::jthread> threads;
    for (auto& object : objects)
      threads.emplace_back([&] { object = &gpu.slot<feature<1>>(maker<1>()); });
  }
  EXPECT_THAT(objects, Each(objects.front()));
  EXPECT_EQ(made_, 1);
}

TEST_F(context_slots, go_before_the_stream_and_its_memory) {
  // Its destructor uses both.
  struct uses_stream {
    explicit uses_stream(const context& gpu) : stream(gpu.stream()), memory(gpu.allocate(64)) {}
    uses_stream(const uses_stream&) = delete;
    uses_stream& operator=(const uses_stream&) = delete;
    ~uses_stream() {
      stream.clear(memory.data(), memory.size());
      stream.synchronize();
    }
    transfers::stream& stream;
    device_memory memory;
  };
  {
    const context gpu(device_);
    static_cast<void>(gpu.slot<uses_stream>([&] { return std::make_shared<uses_stream>(gpu); }));
  }
  EXPECT_EQ(device_.counts().enqueued, 1U);
  EXPECT_TRUE(device_.counts().nothing_allocated());
}

TEST_F(context_slots, hold_the_pipeline_of_round_trips) {
  const context first(device_);
  const context second(device_);
  EXPECT_EQ(&round_trips(first), &round_trips(first));
  EXPECT_NE(&round_trips(first), &round_trips(second));
}

}  // namespace
}  // namespace transfers::context_test
