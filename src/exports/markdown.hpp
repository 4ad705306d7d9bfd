#pragma once

#include <cstddef>
#include <string>

namespace bench_transfers::exports {

/// GitHub accepts 65,536 characters; the text after a shortened list needs some of them.
inline constexpr std::size_t most_markdown_bytes = 60'000;

/// The text as Markdown that shows it as it is: no markup, no link, no mention, one line.
std::string markdown_text(const std::string& text);

/// The same as code.
std::string markdown_code(const std::string& text);

}  // namespace bench_transfers::exports
