#pragma once

#include <cstdint>

#include "transfers/fast/mailbox.hpp"

/// __global__ void scale(float* data, float by, unsigned elements)
const void* scale_kernel();

/// Services for mailboxes: one that never answers, one that leaves at once, and one that answers
/// when it has added up so many numbers and written the sum behind `most` of them.
transfers::mailbox::service silent_service();
transfers::mailbox::service absent_service();
transfers::mailbox::service adding_service(std::uint32_t* numbers, std::uint32_t most);

/// __global__ void note_multiprocessor(unsigned* seen, long long cycles): 1 for each in use
const void* note_multiprocessor_kernel();
