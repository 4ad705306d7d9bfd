/* What bench_transfers needs of MPI, so that it does not link it itself: an MPI's own library is
 * only found and started on its own machine. A plugin is plugin.c, compiled by that MPI:
 *
 *     mpicc -shared -fPIC -O2 -o libbench_transfers_mpi.so plugin.c
 *
 * All functions are called by one thread. Those that return int return 0, or another number when
 * they fail; most MPI libraries end the job instead. */
#ifndef BENCH_TRANSFERS_MPI_PLUGIN_H
#define BENCH_TRANSFERS_MPI_PLUGIN_H

#include <stdint.h>

#define BENCH_TRANSFERS_MPI_VERSION 2

#ifdef __cplusplus
extern "C" {
#endif

/* Gets a message. */
typedef void (*bench_transfers_mpi_take)(void* context, int rank, const void* data, uint64_t bytes);

/* BENCH_TRANSFERS_MPI_VERSION of plugin.c. */
int bench_transfers_mpi_version(void);

/* Starts MPI. Which rank this is, and of how many. */
int bench_transfers_mpi_start(int* rank, int* size);

/* Starts to send a copy of the bytes to another rank. Does not wait. */
int bench_transfers_mpi_send(int rank, const void* data, uint64_t bytes);

/* How many messages are still being sent. Does not wait. */
int bench_transfers_mpi_sending(int* messages);

/* Passes one message to `take` if one has come; *came says so. Does not wait. */
int bench_transfers_mpi_receive(bench_transfers_mpi_take take, void* context, int* came);

/* Ends all ranks. Does not return. */
void bench_transfers_mpi_abort(int code);

/* Ends MPI. Waits for all ranks. */
int bench_transfers_mpi_end(void);

#ifdef __cplusplus
}
#endif

#endif
