#pragma once

#include <optional>
#include <string>
#include <utility>

namespace bench_transfers::common {

/// The exception of this type that a call throws.
template <class Error, class Call>
std::optional<Error> thrown_by(Call&& call) {
  try {
    static_cast<void>(std::forward<Call>(call)());
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// What an exception of this type says that a call throws; `otherwise` if it throws nothing.
template <class Error, class Call>
std::string complaint_of(Call&& call, const char* otherwise = "") {
  try {
    static_cast<void>(std::forward<Call>(call)());
  } catch (const Error& error) {
    return error.what();
  }
  return otherwise;
}

}  // namespace bench_transfers::common
