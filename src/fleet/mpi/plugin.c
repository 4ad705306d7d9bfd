/* plugin.h says how to compile it and what it does. */
#include "plugin.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { tag = 0 };

/* A message on its way. */
struct message {
  struct message* next;
  MPI_Request request;
  int rank;
  int bytes; /* counts of MPI are ints */
  char data[];
};

/* A process has one MPI. */
static struct message* leaving = NULL;
static struct message* coming = NULL;

static struct message* new_message(int rank, int bytes) {
  struct message* const made = malloc(sizeof(struct message) + (size_t)bytes);
  if (made == NULL) return NULL;
  made->next = NULL;
  made->request = MPI_REQUEST_NULL;
  made->rank = rank;
  made->bytes = bytes;
  return made;
}

static void append(struct message** list, struct message* last) {
  while (*list != NULL) list = &(*list)->next;
  *list = last;
}

int bench_transfers_mpi_version(void) { return BENCH_TRANSFERS_MPI_VERSION; }

int bench_transfers_mpi_start(int* rank, int* size) {
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;
  if (MPI_Comm_rank(MPI_COMM_WORLD, rank) != MPI_SUCCESS) return 1;
  return MPI_Comm_size(MPI_COMM_WORLD, size) != MPI_SUCCESS;
}

int bench_transfers_mpi_send(int rank, const void* data, uint64_t bytes) {
  struct message* const sent = bytes <= INT_MAX ? new_message(rank, (int)bytes) : NULL;
  if (sent == NULL) return 1;
  memcpy(sent->data, data, (size_t)bytes);
  append(&leaving, sent);
  return MPI_Isend(sent->data, sent->bytes, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &sent->request) !=
         MPI_SUCCESS;
}

int bench_transfers_mpi_sending(int* messages) {
  struct message** at = &leaving;
  *messages = 0;
  while (*at != NULL) {
    struct message* const sent = *at;
    int done = 0;
    if (MPI_Test(&sent->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 1;
    if (done) {
      *at = sent->next;
      free(sent);
    } else {
      at = &sent->next;
      ++*messages;
    }
  }
  return 0;
}

/* Starts to receive what another rank has begun to send. */
static int start_receiving(void) {
  MPI_Status status;
  struct message* begun = NULL;
  int found = 0;
  int bytes = 0;
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status) != MPI_SUCCESS) return 1;
  if (!found) return 0;
  if (MPI_Get_count(&status, MPI_BYTE, &bytes) != MPI_SUCCESS) return 1;
  begun = new_message(status.MPI_SOURCE, bytes);
  if (begun == NULL) return 1;
  append(&coming, begun);
  return MPI_Irecv(begun->data, bytes, MPI_BYTE, begun->rank, tag, MPI_COMM_WORLD,
                   &begun->request) != MPI_SUCCESS;
}

int bench_transfers_mpi_receive(bench_transfers_mpi_take take, void* context, int* came) {
  struct message** at = &coming;
  *came = 0;
  if (start_receiving() != 0) return 1;
  while (*at != NULL && !*came) {
    struct message* const received = *at;
    if (MPI_Test(&received->request, came, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 1;
    if (*came) {
      *at = received->next;
      take(context, received->rank, received->data, (uint64_t)received->bytes);
      free(received);
    } else {
      at = &received->next;
    }
  }
  return 0;
}

void bench_transfers_mpi_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

int bench_transfers_mpi_end(void) { return MPI_Finalize() != MPI_SUCCESS; }
