/// BUFR, the WMO's form of observations (FM 94): tables, an index of a file, and its reports as
/// rows of numbers. Source: WMO Manual on Codes 306, volume I.2, part B; editions 2 to 4.
///
///     value = (bits + reference) / 10^scale,     all bits 1: missing
///
/// In a subset, coordinates (place, pressure, channel) hold until the next of their kind; a datum
/// is stored with the present ones. So one algorithm serves every template.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace fathom::bufr {

/// A message that cannot be decoded is counted and named, and never ends an import.
struct Damaged : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A descriptor F XX YYY is the number F * 100000 + XX * 1000 + YYY.
struct Element {
    int scale = 0, width = 0;  ///< width [bits]
    std::int64_t reference = 0;
    bool text = false, code = false;  ///< code: a table or flags; operators do not change it
};

struct Tables {
    std::unordered_map<int, Element> elements;
    std::unordered_map<int, std::vector<int>> sequences;
};

/// The contents of sections 0, 1 and 3 of a message.
struct Message {
    std::size_t offset = 0, length = 0;  ///< in the file [bytes]
    int edition = 0, category = 0, centre = 0, subcentre = 0, version = 0, local = 0;
    int subsets = 0;
    bool compressed = false;
    std::size_t data = 0;  ///< where the bits of section 4 begin, in the file
    std::vector<int> descriptors;
    std::string problem;  ///< empty where the message looks whole
};

/// The messages of a file, in order; bytes between them are skipped. Returns one of `parts` with
/// equal numbers of bytes: together they are all messages.
std::vector<Message> index(std::span<const std::uint8_t> file, int part = 0, int parts = 1);

/// One element of a message: its descriptor and its value in every subset that it was read for.
struct Item {
    int descriptor = 0;
    bool observed = true;            ///< not quality information about data before it
    std::vector<double> values;      ///< a missing value is NaN
    std::vector<std::string> texts;  ///< of elements that are text
};

/// Calls `use(first subset, items)` for each subset, or once for all where they are compressed.
/// Damaged: what is wrong.
void decode(std::span<const std::uint8_t> file, const Message&, const Tables&,
            const std::function<void(int, const std::vector<Item>&)>& use);

/// Values kept during decoding: `slots`: coordinates; `headers`, `names`: of a report, its first
/// value that is not missing; `observed`: data.
struct Roles {
    std::unordered_map<int, int> slots, headers, names;
    std::unordered_map<int, char> observed;
    int slot_count = 0, header_count = 0, name_count = 0;
};

/// Rows of data and, for each report, its headers.
struct Rows {
    std::vector<std::int32_t> report, position, descriptor;  ///< report: a row of the headers
    std::vector<double> value, slots;                        ///< slots (rows, slot_count)
    std::vector<std::int32_t> message, subset;               ///< of a report
    std::vector<double> headers;                             ///< (reports, header_count)
    std::vector<std::string> names;                          ///< (reports, name_count)

    void append(const Rows&);
};

/// The data of the messages, in their order, for any number of threads. `tables[n]`: of message n.
/// Returns for each message what is wrong with it, or nothing.
std::vector<std::string> read(std::span<const std::uint8_t> file, std::span<const Message>,
                              std::span<const Tables* const> tables, const Roles&, int threads,
                              Rows& rows);

}  // namespace fathom::bufr
