/* Counts what leaves this process in point-to-point messages and its collective calls, between the
   program and the library (PMPI): preloaded under counted_messages.py. */
#include <mpi.h>
static long messages, bytes, sums, barriers;
void counts_of_mpi(long *to) { to[0] = messages, to[1] = bytes, to[2] = sums, to[3] = barriers; }
static void sent(int count, MPI_Datatype type) {
    int size;
    PMPI_Type_size(type, &size);
    ++messages, bytes += (long)count * size;
}
int MPI_Isend(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r) {
    sent(n, t);
    return PMPI_Isend(b, n, t, to, tag, c, r);
}
int MPI_Bsend(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) {
    sent(n, t);
    return PMPI_Bsend(b, n, t, to, tag, c);
}
int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) {
    sent(n, t);
    return PMPI_Send(b, n, t, to, tag, c);
}
int MPI_Allreduce(const void *b, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c) {
    ++sums;
    return PMPI_Allreduce(b, r, n, t, o, c);
}
int MPI_Barrier(MPI_Comm c) {
    ++barriers;
    return PMPI_Barrier(c);
}
