#include "bench/harness/fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/harness/wall_clock.hpp"
#include "bench/verification/pattern.hpp"
#include "src/common/number.hpp"
#include "src/common/program.hpp"
#include "src/common/regular_expression.hpp"
#include "src/common/text.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

void change_first_byte(transfers::device& device, const payload& memory) {
  if (!memory.on_device) {
    memory.data[0] = ~memory.data[0];
    return;
  }
  // A pattern and its inverse differ in every byte: write the one that the byte does not match.
  const bench::pattern inverse{0, true};
  const bool inverted = check_pattern(device, memory.data, 0, 1, inverse).wrong_bytes == 0;
  write_pattern(device, memory.data, 0, 1, inverted ? bench::pattern{0, false} : inverse);
}

std::function<void()> slowed(std::function<void()> run, double factor) {
  return [run = std::move(run), factor] {
    const auto start = wall_clock::now();
    run();
    const auto end = start + (wall_clock::now() - start) * factor;
    while (wall_clock::now() < end) {
    }
  };
}

std::function<void()> failing(std::function<void()> run, bool lost) {
  return [run = std::move(run), lost, calls = std::make_shared<int>(0)] {
    if (++*calls == 3) throw transfers::device_error("injected failure", lost);
    run();
  };
}

std::optional<int> round_in(std::string_view text) {
  const auto round = common::number_from<int>(text);
  return round && *round >= 1 ? round : std::nullopt;
}

}  // namespace

fault parse_fault(std::string_view text) {
  const auto bad_fault = [&](std::string_view why) {
    return common::usage_error(
        fmt::format("bad --inject '{}': {}", common::printable_in_short(text), why));
  };
  constexpr auto forms = "corrupt@REGEX, fail@REGEX, lose@REGEX or slow:FACTOR[:ROUND]@REGEX";
  const auto at = text.find('@');
  if (at == std::string_view::npos) throw bad_fault(forms);
  const auto effect = text.substr(0, at);
  fault parsed{fault::kind::corrupt, 1, std::nullopt, std::string(text), {}};
  constexpr std::string_view slow = "slow:";
  if (effect.starts_with(slow)) {
    const auto settings = effect.substr(slow.size());
    const auto colon = settings.find(':');
    parsed.factor = common::number_from<double>(settings.substr(0, colon)).value_or(0);
    if (!(parsed.factor >= 1 && parsed.factor <= 1e12))
      throw bad_fault("slow:FACTOR@REGEX needs a factor between 1 and 1e12");
    parsed.effect = fault::kind::slow;
    if (colon != std::string_view::npos) {
      parsed.round = round_in(settings.substr(colon + 1));
      if (!parsed.round) throw bad_fault("slow:FACTOR:ROUND@REGEX needs a round from 1 on");
    }
  } else if (effect == "fail") {
    parsed.effect = fault::kind::fail;
  } else if (effect == "lose") {
    parsed.effect = fault::kind::lose;
  } else if (effect != "corrupt") {
    throw bad_fault(forms);
  }
  try {
    parsed.names = common::regular_expression(std::string(text.substr(at + 1)));
  } catch (const common::expression_error& unusable) {
    throw bad_fault(fmt::format("its REGEX {}", unusable.what()));
  }
  return parsed;
}

std::string name_of_flow(const std::string& benchmark, const std::string& flow) {
  return benchmark + " " + flow;
}

std::string name_of(result_file::sentinel kind) { return "sentinel/" + to_string(kind); }

bool concerns_sentinels(const fault& injected) {
  return injected.round && std::ranges::any_of(result_file::all_sentinels, [&](auto kind) {
           return std::regex_search(name_of(kind), injected.names);
         });
}

namespace {

/// The extra time is that of further bytes, so that it passes where the copies' own time does.
std::function<void()> slowed(const flow& copy, double factor) {
  return [run = copy.enqueue, stream = copy.stream, src = copy.source, dst = copy.destination,
          direction = copy.direction, factor] {
    run();
    auto more = static_cast<double>(src.bytes) * (factor - 1);
    for (; more >= 1; more -= static_cast<double>(src.bytes))
      stream->copy(dst.data, src.data, std::min(src.bytes, static_cast<std::size_t>(more)),
                   direction);
  };
}

void inject(const fault& fault, transfers::device& device, flow& copy) {
  switch (fault.effect) {
    case fault::kind::slow: copy.enqueue = slowed(copy, fault.factor); break;
    case fault::kind::fail: copy.enqueue = failing(std::move(copy.enqueue), false); break;
    case fault::kind::lose: copy.enqueue = failing(std::move(copy.enqueue), true); break;
    // Wrong data at the source arrive at the destination with each copy.
    case fault::kind::corrupt: change_first_byte(device, copy.source); break;
  }
}

void inject(const fault& fault, transfers::device& device, transfer& transfer) {
  auto& last = transfer.steps.back().run;
  switch (fault.effect) {
    case fault::kind::slow:
      for (auto& step : transfer.steps) step.run = slowed(std::move(step.run), fault.factor);
      break;
    case fault::kind::fail: last = failing(std::move(last), false); break;
    case fault::kind::lose: last = failing(std::move(last), true); break;
    case fault::kind::corrupt:
      if (transfer.check.corrupt) transfer.check.corrupt();
      if (!transfer.destination && !transfer.locate) break;
      last = [run = std::move(last), &device, destination = transfer.destination,
              locate = transfer.locate] {
        run();
        change_first_byte(device, locate ? locate() : *destination);
      };
      break;
  }
}

bool matches(const fault& fault, std::string_view name) {
  return std::regex_search(name.begin(), name.end(), fault.names);
}

bool is_there(const fault& injected, const fault::place& where) {
  return injected.round ? injected.round == where.round : !where.is_sentinel;
}

}  // namespace

void inject(const std::vector<fault>& faults, const fault::place& where, transfers::device& device,
            transfer& transfer) {
  for (const auto& fault : faults)
    if (is_there(fault, where) && matches(fault, where.name)) inject(fault, device, transfer);
}

void inject(const std::vector<fault>& faults, const fault::place& where, transfers::device& device,
            flow& copy) {
  for (const auto& fault : faults)
    if (is_there(fault, where) &&
        (matches(fault, where.name) || matches(fault, name_of_flow(where.name, copy.name))))
      inject(fault, device, copy);
}

}  // namespace bench_transfers::bench
