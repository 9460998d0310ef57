/// Decodes section 4 with the template of section 3.
#include <algorithm>
#include <array>
#include <cmath>
#include "observation/bufr.hpp"

namespace fathom::bufr {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_items = 5'000'000;  ///< of a message: more mean damaged counts
constexpr int deepest = 32;                    ///< sequences within sequences

class Bits {
public:
    Bits(const std::uint8_t* begin, const std::uint8_t* end)
        : begin_(begin), count_(std::size_t(end - begin) * 8) {}

    std::uint64_t take(int width) {  // at most 57: eight bytes contain them for any first bit
        if (width < 0 || width > 57)
            throw Damaged("an element of " + std::to_string(width) + " bits");
        if (std::size_t(width) > count_ - at_) throw Damaged("data end before the template does");
        std::uint64_t value = 0;
        const std::size_t first = at_ / 8, last = (at_ + std::size_t(width) + 7) / 8;
        for (std::size_t n = first; n < last; ++n) value = value << 8 | begin_[n];
        value >>= last * 8 - at_ - std::size_t(width);
        at_ += std::size_t(width);
        return width ? value & (~std::uint64_t(0) >> (64 - width)) : 0;
    }
    std::string text(int bits) {
        std::string s;
        for (int n = 0; n < bits / 8; ++n) s += char(take(8));
        return s;
    }

private:
    const std::uint8_t* begin_;
    std::size_t count_, at_ = 0;
};

std::uint64_t all_ones(int width) { return width ? ~std::uint64_t(0) >> (64 - width) : 0; }

double power_of_ten(int n) {
    static const auto table = [] {
        std::array<double, 23> t{};
        for (int n = 0; n < 23; ++n) t[n] = std::pow(10., n);
        return t;
    }();
    return n < 23 ? table[n] : std::pow(10., n);
}

/// The changes by operators, and bit maps of quality information.
class Reader {
public:
    Reader(Bits& bits, const Message& m, const Tables& tables)
        : bits_(bits),
          tables_(tables),
          subsets_(m.compressed ? m.subsets : 1),
          compressed_(m.compressed) {}

    /// The items of a subset; of all subsets if they are compressed.
    const std::vector<Item>& subset(std::span<const int> descriptors) {
        used_ = 0, absent_ = 0;
        width_ = scale_ = text_width_ = local_width_ = increase_ = new_reference_ = 0;
        associated_.clear(), references_.clear(), past_.clear(), map_.clear();
        observed_ = true, mapping_ = false;
        run(descriptors, 0);
        items_.resize(used_);
        return items_;
    }

private:
    void run(std::span<const int> list, int depth) {
        if (depth > deepest) throw Damaged("sequences without end");
        for (std::size_t n = 0; n < list.size(); ++n) {
            const int d = list[n], f = d / 100000, x = d / 1000 % 100, y = d % 1000;
            if (f == 0) {
                element(d);
            } else if (f == 1) {
                n += replicate(list.subspan(n + 1), std::size_t(x), y, depth);
            } else if (f == 2) {
                apply(x, y);
            } else {
                const auto found = tables_.sequences.find(d);
                if (found == tables_.sequences.end())
                    throw Damaged("sequence " + std::to_string(d) + " is in no table");
                run(found->second, depth + 1);
            }
        }
    }

    /// Returns how many descriptors of the list it has used.
    std::size_t replicate(std::span<const int> rest, std::size_t length, int times, int depth) {
        const std::size_t delayed = times == 0;
        if (rest.size() < length + delayed) throw Damaged("a replication of what is not there");
        const auto body = rest.subspan(delayed, length);
        if (!delayed) {
            for (int n = 0; n < times; ++n) run(body, depth + 1);
            return length;
        }
        const int factor = rest[0];
        const double count = element(factor);
        if (!(count >= 0)) throw Damaged("a missing number of replications");
        const bool once = factor == 31011 || factor == 31012;  // repeated: read once
        for (double n = 0; n < (once ? std::min(count, 1.) : count); ++n) run(body, depth + 1);
        return length + 1;
    }

    // long: a case for each operator
    void apply(int x, int y) {
        switch (x) {
            case 1: width_ = y ? y - 128 : 0; return;
            case 2: scale_ = y ? y - 128 : 0; return;
            case 3: new_reference_ = y == 255 ? 0 : y; return y ? void() : references_.clear();
            case 4:
                return y                     ? associated_.push_back(y)
                       : associated_.empty() ? void()
                                             : associated_.pop_back();
            case 5: return read(205000 + y, {.width = 8 * y, .text = true}), void();
            case 6: local_width_ = y; return;
            case 7: increase_ = y; return;
            case 8: text_width_ = 8 * y; return;
            case 21: absent_ = y; return;
            case 35: map_.clear(); return;
            case 36:
            case 37: return;
            case 22:
            case 23:
            case 24:
            case 25:
            case 32:
                if (y == 0) return begin_map();
                if (y == 255) return mapped(x == 25);
                [[fallthrough]];
            default:
                throw Damaged("operator 2" + std::to_string(1000 * x + y + 100000).substr(1) +
                              " is not known");
        }
    }

    /// Quality information follows; a bit map says to which earlier elements it belongs.
    void begin_map() {
        if (observed_) end_of_data_ = past_.size();
        observed_ = false, mapping_ = true, next_ = 0;
    }
    /// Reads a value of the type of the next element in the bit map.
    void mapped(bool difference) {
        while (next_ < map_.size() && map_[next_]) ++next_;
        if (next_ >= map_.size() || map_.size() > end_of_data_)
            throw Damaged("a bit map of what is not there");
        auto [descriptor, e] = past_[end_of_data_ - map_.size() + next_++];
        if (difference) e.reference = -(std::int64_t(1) << e.width), ++e.width;
        read(descriptor, e);
    }

    /// Reads an element, with the changes by operators. Returns its first value.
    double element(int d) {
        const int x = d / 1000;
        if (absent_ > 0 && --absent_ >= 0 && x > 9 && x != 31) return missing;
        const Element e = local_width_ ? local() : changed(d);
        if (new_reference_) return change_reference(d);
        if (x != 31)
            for (int width : associated_) skip(width);
        if (d == 31031 && mapping_) map_.clear(), mapping_ = false;
        const double value = read(d, e);
        if (d == 31031 && !observed_) map_.push_back(value != 0);
        return value;
    }
    /// An element of a local table. Only its width is known.
    Element local() {
        const Element e{.width = local_width_, .code = true};
        local_width_ = 0;
        return e;
    }
    Element changed(int d) {
        const auto found = tables_.elements.find(d);
        if (found == tables_.elements.end())
            throw Damaged("element " + std::to_string(1000000 + d).substr(1) + " is in no table");
        Element e = found->second;
        if (e.text && text_width_) e.width = text_width_;
        if (e.text || e.code || d / 1000 == 31) return e;
        if (auto own = references_.find(d); own != references_.end()) e.reference = own->second;
        e.width += width_, e.scale += scale_;
        if (increase_) {
            e.width += (10 * increase_ + 2) / 3, e.scale += increase_;
            e.reference = std::int64_t(double(e.reference) * power_of_ten(increase_));
        }
        return e;
    }

    double change_reference(int d) {
        const int width = new_reference_;
        const std::uint64_t bits = bits_.take(width), sign = std::uint64_t(1) << (width - 1);
        if (compressed_) skip_increments();
        references_[d] = bits & sign ? -std::int64_t(bits & ~sign) : std::int64_t(bits);
        return missing;
    }

    double read(int d, const Element& e) {
        if (used_ == items_.size()) items_.emplace_back();
        Item& item = items_[used_++];
        if (used_ * std::size_t(subsets_) > 40 * most_items || used_ > most_items)
            throw Damaged("more data than a message can have");
        item.descriptor = d, item.observed = observed_;
        past_.emplace_back(d, e);
        e.text ? read_text(item, e) : read_numbers(item, e);
        return item.values.empty() ? missing : item.values[0];
    }
    void read_text(Item& item, const Element& e) {
        item.values.clear(), item.texts.assign(std::size_t(subsets_), bits_.text(e.width));
        if (!compressed_) return;
        if (const int bytes = int(bits_.take(6)))
            for (auto& text : item.texts) text = bits_.text(8 * bytes);
    }
    void read_numbers(Item& item, const Element& e) {
        item.texts.clear(), item.values.resize(std::size_t(subsets_));
        const std::uint64_t least = bits_.take(e.width);
        const bool may_miss = e.width > 1 && item.descriptor != 31031;
        auto value = [&](std::uint64_t bits) {
            const double whole = double(std::int64_t(bits) + e.reference);
            return e.scale > 0 ? whole / power_of_ten(e.scale) : whole * power_of_ten(-e.scale);
        };
        const bool none = may_miss && least == all_ones(e.width);
        if (!compressed_) {
            item.values[0] = none ? missing : value(least);
            return;
        }
        const int width = int(bits_.take(6));
        if (!width) {
            std::ranges::fill(item.values, none ? missing : value(least));
            return;
        }
        for (double& v : item.values) {
            const std::uint64_t more = bits_.take(width);
            v = more == all_ones(width) ? missing : value(least + more);
        }
    }
    void skip(int width) {
        bits_.take(width);
        if (compressed_) skip_increments();
    }
    void skip_increments() {
        if (const int width = int(bits_.take(6)))
            for (int n = 0; n < subsets_; ++n) bits_.take(width);
    }

    Bits& bits_;
    const Tables& tables_;
    const int subsets_;
    const bool compressed_;
    std::vector<Item> items_;
    std::size_t used_ = 0, end_of_data_ = 0, next_ = 0;
    int width_ = 0, scale_ = 0, text_width_ = 0, local_width_ = 0, increase_ = 0, absent_ = 0,
        new_reference_ = 0;
    std::vector<int> associated_;
    std::unordered_map<int, std::int64_t> references_;
    std::vector<std::pair<int, Element>> past_;
    std::vector<bool> map_;  ///< true: no information about that element
    bool observed_ = true, mapping_ = false;
};

}  // namespace

void decode(std::span<const std::uint8_t> file, const Message& m, const Tables& tables,
            const std::function<void(int, const std::vector<Item>&)>& use) {
    if (m.subsets == 0) throw Damaged("a message without subsets");
    Bits bits(file.data() + m.data, file.data() + m.offset + m.length - 4);
    Reader reader(bits, m, tables);
    for (int n = 0; n < (m.compressed ? 1 : m.subsets); ++n) use(n, reader.subset(m.descriptors));
}

}  // namespace fathom::bufr
