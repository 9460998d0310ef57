/// Transports by puts and gets into windows of other ranks.
#include <algorithm>
#include "parallel/halo/places.hpp"
#include "parallel/window.hpp"

namespace fathom {

namespace {

/// Incoming buffers in a window, which take turns.
struct Puts : Transport {
    MPI_Comm comm;
    Parts parts;
    std::size_t size;  // words of one buffer
    Window window;
    std::vector<std::byte> sent;
    // of each send: the place and the size of a buffer in the receiver's window
    std::vector<std::size_t> there, size_there;
    Word count = 0;
    unsigned buffers;
    Puts(MPI_Comm comm, const Parts& p, std::size_t flags, unsigned buffers = 2)
        : comm(comm),
          parts(p),
          size(words(p.incoming)),
          window(comm, buffers * size + flags),
          sent(p.outgoing),
          buffers(buffers) {
        there = tell(comm, parts.receives, offsets(parts.receives), parts.sends);
        size_there =
            tell(comm, parts.receives, std::vector(parts.receives.size(), size), parts.sends);
        out = sent.data();
    }
    void turn() { in = (std::byte*)(window.own() + ++count % buffers * size); }
    std::span<const Word> message(std::size_t n) const {
        auto& s = parts.sends[n];
        return {(const Word*)(out + s.offset), (s.bytes + 7) / 8};
    }
    std::size_t target(std::size_t n) const { return there[n] + count % buffers * size_there[n]; }
    void put(std::size_t n) { window.put(message(n), parts.sends[n].rank, target(n)); }
};

/// No rank sends before all have posted, and no rank reads before all have sent. Parts begin at
/// multiples of 16 bytes, so that a half word at the end overwrites nothing.
struct PutFence final : Puts {
    PutFence(MPI_Comm c, const Parts& p) : Puts(c, p, 0) {}
    bool meets() const override { return true; }
    void post() override { turn(); }
    void send() override {
        for (std::size_t n = 0; n < parts.sends.size(); ++n) put(n);
        for (auto& s : parts.sends) window.flush(s.rank);
    }
    void wait() override {
        MPI_Barrier(comm);  // all puts have arrived
        window.see();
    }
};

/// Other ranks write the flags; `apart` words lie from one to the next: 8, each in a cache line of
/// its own, or 1, side by side.
template <std::size_t apart> struct PutFlags final : Puts {
    std::vector<std::size_t> flag_there, free_there;
    // own: one for each receive, set when it is there; one for each send, set when its place is
    // free
    std::size_t flags, frees;
    PutFlags(MPI_Comm c, const Parts& p)
        : Puts(c, p, apart * (p.sends.size() + p.receives.size())),
          flags(2 * size),
          frees(flags + apart * p.receives.size()) {
        flag_there = tell(comm, parts.receives, places(parts.receives, flags, apart), parts.sends);
        free_there = tell(comm, parts.sends, places(parts.sends, frees, apart), parts.receives);
    }
    void post() override {
        turn();
        // the buffer of the next exchange is free
        for (std::size_t n = 0; n < parts.receives.size(); ++n)
            window.signal(parts.receives[n].rank, free_there[n], count + 1);
    }
    void send() override {
        for (std::size_t n = 0; n < parts.sends.size(); ++n) {
            if (count > 1)
                spin([&] { return window.load(frees + apart * n) >= count; },
                     [&] { window.progress(); });
            put(n);
            window.signal(parts.sends[n].rank, flag_there[n], count);
        }
    }
    /// The flag may already be that of the next exchange, which uses the other buffer.
    void wait() override {
        for (std::size_t n = 0; n < parts.receives.size(); ++n)
            spin([&] { return window.load(flags + apart * n) >= count; },
                 [&] { window.progress(); });
    }
};

/// No flags: a word has arrived when it is not the sentinel, whatever bits the data have. A message
/// travels XOR a key with which no word is the sentinel, zero as a rule; the key follows the words.
/// Three buffers take turns: the reader restores the sentinels of one when the next message of the
/// same neighbour is there, so the former has been completed and no word of it is written again.
/// The message after that tells the neighbour that the buffer is free; to one that gets no messages
/// a flag tells it.
struct PutSentinel final : Puts {
    static constexpr Word sentinel = 0x7ff4'dead'beef'f00d;
    static constexpr std::size_t apart = 8;
    std::size_t keys, frees;  // own: a key of each receive and buffer; a flag of each send
    std::vector<std::size_t> key_there, free_there, silent_sends, silent_receives;
    std::vector<Word> changed;
    PutSentinel(MPI_Comm c, const Parts& p)
        : Puts(c, p, 3 * apart * p.receives.size() + apart * p.sends.size(), 3),
          keys(3 * size),
          frees(keys + 3 * apart * p.receives.size()) {
        key_there =
            tell(comm, parts.receives, places(parts.receives, keys, 3 * apart), parts.sends);
        free_there = tell(comm, parts.sends, places(parts.sends, frees, apart), parts.receives);
        silent_sends = without_answer(parts.sends, parts.receives);
        silent_receives = without_answer(parts.receives, parts.sends);
        for (std::size_t n = 0; n < frees; ++n) window.store(n, sentinel);
        window.see();
        MPI_Barrier(comm);  // all have their sentinels
    }
    static std::vector<std::size_t> without_answer(const std::vector<Part>& some,
                                                   const std::vector<Part>& others) {
        std::vector<std::size_t> list;
        for (std::size_t n = 0; n < some.size(); ++n)
            if (std::ranges::none_of(others, [&](auto& o) { return o.rank == some[n].rank; }))
                list.push_back(n);
        return list;
    }
    std::size_t key(std::size_t n, Word turn) const { return keys + apart * (3 * n + turn % 3); }
    std::size_t first(std::size_t n, Word turn) const {
        return turn % 3 * size + parts.receives[n].offset / sizeof(Word);
    }
    std::size_t length(std::size_t n) const { return (parts.receives[n].bytes + 7) / 8; }
    void clear(Word turn) {
        for (std::size_t n = 0; n < parts.receives.size(); ++n) {
            for (std::size_t k = 0; k < length(n); ++k) window.store(first(n, turn) + k, sentinel);
            window.store(key(n, turn), sentinel);
        }
    }
    void post() override {
        turn();
        if (count > 2) clear(count - 2);
        for (std::size_t n : silent_receives)  // that buffer is free for the next exchange
            window.signal(parts.receives[n].rank, free_there[n], count + 1);
    }
    /// The words as they travel, and their key.
    Word hide(std::span<const Word> data) {
        const auto is_free = [&](Word key) {
            return key != sentinel && std::ranges::find(data, sentinel ^ key) == data.end();
        };
        Word key = 0;
        while (!is_free(key)) ++key;
        changed.assign(data.begin(), data.end());
        for (Word& word : changed) word ^= key;
        return key;
    }
    void send() override {
        if (count > 3)
            for (std::size_t n : silent_sends)
                spin([&] { return window.load(frees + apart * n) >= count; },
                     [&] { window.progress(); });
        for (std::size_t n = 0; n < parts.sends.size(); ++n) {
            const int rank = parts.sends[n].rank;
            const Word key = hide(message(n));
            window.replace(changed, rank, target(n));
            window.replace({&key, 1}, rank, key_there[n] + apart * (count % 3));
            window.flush(rank);
        }
    }
    Word seen(std::size_t at) {
        Word word;
        spin([&] { return (word = window.load(at)) != sentinel; }, [&] { window.progress(); });
        return word;
    }
    void wait() override {
        for (std::size_t n = 0; n < parts.receives.size(); ++n) {
            const Word hidden = seen(key(n, count));
            for (std::size_t k = 0; k < length(n); ++k) {
                const Word word = seen(first(n, count) + k);
                if (hidden) window.store(first(n, count) + k, word ^ hidden);
            }
        }
    }
};

/// Two outgoing buffers in a window, from which receivers get after a barrier. A rank packs a
/// buffer again only after the barrier that follows its last reading.
struct GetBarrier final : Transport {
    MPI_Comm comm;
    Parts parts;
    std::size_t size;
    Window window;
    std::vector<std::byte> received;
    std::vector<std::size_t> there, size_there;
    Word count = 0;
    GetBarrier(MPI_Comm comm, const Parts& p)
        : comm(comm),
          parts(p),
          size(words(p.outgoing)),
          window(comm, 2 * size),
          received(p.incoming) {
        there = tell(comm, parts.sends, offsets(parts.sends), parts.receives);
        size_there = tell(comm, parts.sends, std::vector(parts.sends.size(), size), parts.receives);
        in = received.data();
    }
    bool meets() const override { return true; }
    void post() override { out = (std::byte*)(window.own() + ++count % 2 * size); }
    void send() override { window.see(); }
    void wait() override {
        MPI_Barrier(comm);  // all have packed
        for (std::size_t n = 0; n < parts.receives.size(); ++n) {
            auto& r = parts.receives[n];
            window.get({(Word*)(in + r.offset), (r.bytes + 7) / 8}, r.rank,
                       there[n] + count % 2 * size_there[n]);
        }
    }
};

constexpr TransportKind kinds[] = {
    {"put-fence", "put into the neighbours' windows, then everybody meets",
     make_transport<PutFence>},
    {"put-flags", "put, then a flag that the neighbour waits for", make_transport<PutFlags<8>>},
    {"put-flags-unpadded", "the same, with the flags of all neighbours side by side",
     make_transport<PutFlags<1>>},
    {"put-sentinel",
     "put; a message has arrived when none of its words is a value that words in travel never have",
     make_transport<PutSentinel>},
    {"get-barrier", "everybody meets, then get from the neighbours' windows",
     make_transport<GetBarrier>},
};

}  // namespace

std::span<const TransportKind> one_sided_transports() { return kinds; }

}  // namespace fathom
