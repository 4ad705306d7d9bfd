#pragma once

#include <string>

#include "src/result_file/format.hpp"

/// The roles of the project's own strategies. A strategy may bring a role of its own: any name and
/// description, shown as a table of times unless it says otherwise.
namespace bench_transfers::bench::roles {

using result_file::role;
using result_file::table;

inline const role copy{"copy", "copies of one block between host memory and the device",
                       table::directions};
inline const role scattered_copy{"scattered_copy", "copies of many small blocks",
                                 table::directions};
inline const role strided_copy{"strided_copy", "copies of memory with gaps", table::directions};
inline const role container_copy{"container_copy", "copies to and from containers",
                                 table::directions};
inline const role kernel_access{"kernel_access", "how a kernel addresses host memory in place",
                                table::directions};
inline const role array{"array", "arrays as in PyCUDA's gpuarray", table::times};
inline const role conversion{"conversion", "conversion of element types on the way", table::times};
inline const role arguments{"arguments", "arguments that a call uploads and downloads",
                            table::times};
inline const role overlap{"overlap", "upload, work and download", table::overlap};
inline const role duplex{"duplex", "both directions at once", table::duplex};
inline const role concurrent{"concurrent", "several copies at once", table::concurrent};
inline const role allocation{"allocation", "allocation of memory", table::allocation};
inline const role deallocation{"deallocation", "release of memory", table::allocation};
inline const role cpu_read{"cpu_read", "reads by the CPU", table::cpu_access};
inline const role cpu_write{"cpu_write", "writes by the CPU", table::cpu_access};
inline const role cpu_read_write{"cpu_read_write", "reads and writes by the CPU",
                                 table::cpu_access};
inline const role first_call{"first_call", "the first call, and the second", table::times};
inline const role launch{"launch", "launches of an empty kernel", table::times};
inline const role latency{"latency", "a message to the device and its answer", table::times};
inline const role floor{"floor", "the harness itself", table::floor};

}  // namespace bench_transfers::bench::roles
