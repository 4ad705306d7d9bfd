#pragma once

#include "src/common/message.hpp"
#include "src/gate/judge/compare.hpp"
#include "src/gate/model/reason.hpp"

namespace bench_transfers::gate {

// What a check has to say, for programs: the code and the data are listed in docs/RESULT_FILE.md
// and stay; the text is that of report/wording.hpp.

/// The thresholds are part of some texts.
common::message message_of(const reason& cause, const limits& allowed);
common::message message_of(const note& said);
common::message message_of(const remark& said);

}  // namespace bench_transfers::gate
