#pragma once

// What most tests use, by its plain name in both namespaces of the project: GoogleTest with its
// matchers, units of sizes and times, and JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>

namespace test_basics {

using namespace std::chrono_literals;
using json = nlohmann::ordered_json;

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;
inline constexpr std::size_t gib = 1024 * mib;
inline constexpr std::size_t tib = 1024 * gib;

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::DoubleEq;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::EndsWith;
using testing::Eq;
using testing::Field;
using testing::Ge;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Key;
using testing::Le;
using testing::Lt;
using testing::MatchesRegex;
using testing::Ne;
using testing::Not;
using testing::Optional;
using testing::Pair;
using testing::Property;
using testing::SizeIs;
using testing::StartsWith;
using testing::Throws;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

}  // namespace test_basics

namespace bench_transfers {
using namespace test_basics;
}

namespace transfers {
using namespace test_basics;
}
