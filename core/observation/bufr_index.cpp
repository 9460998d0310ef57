#include <algorithm>
#include <cmath>
#include <cstring>
#include "observation/bufr.hpp"

namespace fathom::bufr {
namespace {

std::size_t number(const std::uint8_t* p, int bytes) {
    std::size_t value = 0;
    for (int n = 0; n < bytes; ++n) value = value << 8 | p[n];
    return value;
}

int descriptor(const std::uint8_t* p) { return (p[0] >> 6) * 100000 + (p[0] & 63) * 1000 + p[1]; }

/// Section 1: the origin of the data and the tables that they need.
void read_identification(const std::uint8_t* s, std::size_t length, Message& m) {
    const bool four = m.edition == 4;
    if (length < (four ? 18u : 12u)) throw Damaged("section 1 too short");
    if (four) {
        m.centre = int(number(s + 4, 2)), m.subcentre = int(number(s + 6, 2));
        m.category = s[10], m.version = s[13], m.local = s[14];
    } else {
        m.subcentre = m.edition == 3 ? s[4] : 0,
        m.centre = m.edition == 3 ? s[5] : int(number(s + 4, 2));
        m.category = s[8], m.version = s[10], m.local = s[11];
    }
}

void read_sections(std::span<const std::uint8_t> file, Message& m) {
    const std::uint8_t *begin = file.data() + m.offset, *end = begin + m.length - 4;
    const std::uint8_t* s = begin + 8;
    auto section = [&] {
        if (end - s < 4) throw Damaged("sections end beyond the message");
        const std::size_t length = number(s, 3);
        if (length < 4 || length > std::size_t(end - s))
            throw Damaged("a section ends beyond the message");
        return length;
    };
    std::size_t length = section();
    read_identification(s, length, m);
    const bool optional = s[m.edition == 4 ? 9 : 7] & 128;
    s += length;
    if (optional) s += section();
    length = section();
    if (length < 7) throw Damaged("section 3 too short");
    m.subsets = int(number(s + 4, 2)), m.compressed = s[6] & 64;
    for (std::size_t n = 7; n + 1 < length; n += 2) m.descriptors.push_back(descriptor(s + n));
    s += length;
    section();
    m.data = std::size_t(s + 4 - file.data());
}

constexpr char start[] = {'B', 'U', 'F', 'R'}, stop[] = {'7', '7', '7', '7'};
using Bytes = std::span<const std::uint8_t>;

/// Whether another message lies within one, and ends where that ends.
bool holds_another(Bytes file, const Message& m) {
    const auto end = file.begin() + std::ptrdiff_t(m.offset + m.length);
    auto at = file.begin() + std::ptrdiff_t(m.offset) + 8;
    for (; (at = std::search(at, end, start, start + 4)) != end; at += 4)
        if (end - at > 8 && number(&at[4], 3) == std::size_t(end - at)) return true;
    return false;
}

/// Where the next 7777 ends.
std::size_t after_end(Bytes file, std::size_t at) {
    const auto mark = std::search(file.begin() + std::ptrdiff_t(at), file.end(), stop, stop + 4);
    return std::size_t(mark - file.begin()) + (mark == file.end() ? 0 : 4);
}

/// Adds a damaged message for each end, 7777, between messages that has no beginning there.
void add_headless(Bytes file, std::size_t first, std::size_t last, std::vector<Message>& found) {
    const auto end = file.begin() + std::ptrdiff_t(last);
    for (auto at = file.begin() + std::ptrdiff_t(first);;) {
        const auto mark = std::search(at, end, stop, stop + 4);
        if (mark == end) return;
        Message m;
        m.offset = std::size_t(at - file.begin());
        m.length = std::size_t(mark - at) + 4;
        m.problem = "its first bytes, BUFR, are damaged";
        found.push_back(std::move(m));
        at = mark + 4;
    }
}

/// Reads length and edition. Damaged: it does not end where it says.
void read_length(Bytes file, Message& m) {
    const std::size_t left = file.size() - m.offset;
    if (left < 8) throw Damaged("cut off");
    const std::uint8_t* p = file.data() + m.offset;
    m.length = number(p + 4, 3), m.edition = p[7];
    if (m.edition < 2 || m.edition > 4)
        throw Damaged("edition " + std::to_string(m.edition) + " is not 2, 3 or 4");
    if (m.length < 30) throw Damaged("too short to be a message");
    if (m.length > left) throw Damaged("cut off");
    if (std::memcmp(p + m.length - 4, stop, 4)) throw Damaged("wrong length: no 7777 at its end");
    if (holds_another(file, m)) throw Damaged("wrong length: another message lies in it");
}

/// The messages that end in one of `parts` parts of equally many bytes.
std::vector<Message> of_part(std::vector<Message> all, int part, int parts) {
    std::size_t total = 0, end = 0;
    for (const Message& m : all) total += m.length;
    std::vector<Message> own;
    for (Message& m : all) {
        end += m.length;
        const double at = double(end) * parts / std::max<double>(double(total), 1);
        const int owner = std::clamp(int(std::ceil(at)) - 1, 0, parts - 1);
        if (owner == part) own.push_back(std::move(m));
    }
    return own;
}

}  // namespace

std::vector<Message> index(std::span<const std::uint8_t> file, int part, int parts) {
    std::vector<Message> found;
    std::size_t ended = 0;  // the last whole message, or the start of a damaged one
    for (auto at = file.begin();;) {
        at = std::search(at, file.end(), start, start + 4);
        Message m;
        m.offset = std::size_t(at - file.begin());
        if (ended < m.offset) add_headless(file, ended, m.offset, found);
        if (at == file.end()) break;
        at += 4;  // where the next search begins, unless this message is whole
        try {
            read_length(file, m);
            at = file.begin() + std::ptrdiff_t(m.offset + m.length);
        } catch (const Damaged& wrong) {
            m.problem = wrong.what();
        }
        ended = m.problem.empty() ? m.offset + m.length : after_end(file, m.offset);
        found.push_back(std::move(m));
    }
    found = of_part(std::move(found), part, parts);
    for (Message& m : found) try {
            if (m.problem.empty()) read_sections(file, m);
        } catch (const Damaged& wrong) {
            m.problem = wrong.what();
        }
    return found;
}

}  // namespace fathom::bufr
