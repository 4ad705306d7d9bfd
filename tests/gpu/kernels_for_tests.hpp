#pragma once

#include <cstdint>

#include "transfers/fast/mailbox.hpp"

/// __global__ void scale(float* data, float factor, unsigned elements)
const void* scale_kernel();

/// Services for mailboxes. The silent service never answers; the absent service exits at once. The
/// adding service adds up as many numbers as the message says, and writes the sum to numbers[most]
/// before it answers.
transfers::mailbox::service silent_service();
transfers::mailbox::service absent_service();
transfers::mailbox::service adding_service(std::uint32_t* numbers, std::uint32_t most);

/// __global__ void note_multiprocessor(unsigned* in_use, long long cycles): sets in_use[i] to 1 for
/// each multiprocessor i that runs a block
const void* note_multiprocessor_kernel();

/// __global__ void occupy(const unsigned* until): each thread waits until *until is not 0
const void* occupy_kernel();
