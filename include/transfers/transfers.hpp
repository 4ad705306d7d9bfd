#pragma once

// Everything.
#include "transfers/arguments.hpp"
#include "transfers/arithmetic.hpp"
#include "transfers/buffer.hpp"
#include "transfers/context.hpp"
#include "transfers/device.hpp"
#include "transfers/error.hpp"
#include "transfers/gpu_array.hpp"
#include "transfers/host_memory.hpp"
#include "transfers/launch.hpp"
#include "transfers/pool.hpp"
#include "transfers/shape.hpp"
#include "transfers/source_module.hpp"
#include "transfers/stream.hpp"
#include "transfers/streaming.hpp"
#include "transfers/workers.hpp"
