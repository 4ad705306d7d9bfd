#include "fault.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <memory>

#include "sizes.hpp"
#include "transfers/error.hpp"

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

void flip_first_byte(transfers::device& device, const payload& where, transfers::pattern inverted) {
  if (where.on_device)
    device.write_pattern(where.data, 0, 1, inverted);
  else
    where.data[0] = ~where.data[0];
}

std::function<void()> slowed(std::function<void()> run, double factor) {
  return [run = std::move(run), factor] {
    const auto start = clock::now();
    run();
    const auto end = start + (clock::now() - start) * factor;
    while (clock::now() < end) {
    }
  };
}

std::function<void()> failing(std::function<void()> run, bool lost) {
  return [run = std::move(run), lost, calls = std::make_shared<int>(0)] {
    if (++*calls == 3) throw transfers::device_error("injected failure", lost);
    run();
  };
}

}  // namespace

fault parse_fault(std::string_view text) {
  const auto at = text.find('@');
  const auto head = text.substr(0, at);
  const auto colon = head.find(':');
  const auto name = head.substr(0, colon);
  fault parsed{fault::kind::corrupt, 1, "", {}};
  bool good = at != std::string_view::npos;
  if (name == "slow" && colon != std::string_view::npos) {
    const auto number = head.substr(colon + 1);
    const auto [stopped, error] =
        std::from_chars(number.data(), number.data() + number.size(), parsed.factor);
    good = good && error == std::errc{} && stopped == number.data() + number.size() &&
           parsed.factor >= 1;
    parsed.what = fault::kind::slow;
  } else if (name == "fail") {
    parsed.what = fault::kind::fail;
  } else if (name == "lose") {
    parsed.what = fault::kind::lose;
  } else {
    good = good && name == "corrupt";
  }
  if (!good)
    throw usage_error(fmt::format(
        "bad --inject '{}': corrupt@REGEX, fail@REGEX, lose@REGEX or slow:FACTOR@REGEX", text));
  parsed.pattern = text.substr(at + 1);
  try {
    parsed.names = std::regex(parsed.pattern, std::regex::extended);
  } catch (const std::regex_error&) {
    throw usage_error(fmt::format("bad --inject '{}': not a regular expression", text));
  }
  return parsed;
}

void inject(const std::vector<fault>& faults, std::string_view name, transfers::device& device,
            transfer& into) {
  for (const auto& one : faults) {
    if (!std::regex_search(name.begin(), name.end(), one.names)) continue;
    auto& last = into.steps.back().run;
    switch (one.what) {
      case fault::kind::slow:
        for (auto& step : into.steps) step.run = slowed(std::move(step.run), one.factor);
        break;
      case fault::kind::fail: last = failing(std::move(last), false); break;
      case fault::kind::lose: last = failing(std::move(last), true); break;
      case fault::kind::corrupt:
        if (!into.destination) break;
        last = [run = std::move(last), &device, where = *into.destination] {
          run();
          flip_first_byte(device, where, {0, true});
        };
        break;
    }
  }
}

}  // namespace bench
