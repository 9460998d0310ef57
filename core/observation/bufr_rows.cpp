/// From the elements of a message to rows of data with their coordinates.
#include <algorithm>
#include <cmath>
#include "observation/bufr.hpp"

namespace fathom::bufr {
namespace {

template <class T> void join(std::vector<T>& a, const std::vector<T>& b) {
    a.insert(a.end(), b.begin(), b.end());
}

std::string trimmed(const std::string& text) {
    std::string s;
    for (const char c : text) s += c > 32 && c < 127 ? c : ' ';  // WMO texts have no others
    const auto first = s.find_first_not_of(' ');
    return first == s.npos ? "" : s.substr(first, s.find_last_not_of(' ') - first + 1);
}

int found(const std::unordered_map<int, int>& map, int key) {
    const auto at = map.find(key);
    return at == map.end() ? -1 : at->second;
}

/// Reads the elements of one subset in order; `column`: its index in them.
void walk(const std::vector<Item>& items, std::size_t column, const Roles& roles, Rows& rows) {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> slots(std::size_t(roles.slot_count), missing),
        headers(std::size_t(roles.header_count), missing);
    std::vector<std::string> names(std::size_t(roles.name_count));
    const int report = int(rows.message.size()) - 1;
    int position = -1;
    for (const Item& item : items) {
        ++position;
        if (!item.observed) continue;
        if (!item.texts.empty()) {
            if (const int n = found(roles.names, item.descriptor); n >= 0 && names[n].empty())
                names[n] = trimmed(item.texts[column]);
            continue;
        }
        const double value = item.values[column];
        if (const int n = found(roles.headers, item.descriptor); n >= 0 && std::isnan(headers[n]))
            headers[n] = value;
        if (const int n = found(roles.slots, item.descriptor); n >= 0) slots[n] = value;
        if (std::isnan(value) || !roles.observed.contains(item.descriptor)) continue;
        rows.report.push_back(report), rows.position.push_back(position);
        rows.descriptor.push_back(item.descriptor), rows.value.push_back(value);
        join(rows.slots, slots);
    }
    join(rows.headers, headers), join(rows.names, names);
}

}  // namespace

void Rows::append(const Rows& more) {
    const auto reports = std::int32_t(message.size());
    for (const std::int32_t r : more.report) report.push_back(r + reports);
    join(position, more.position), join(descriptor, more.descriptor), join(value, more.value);
    join(slots, more.slots), join(message, more.message), join(subset, more.subset);
    join(headers, more.headers), join(names, more.names);
}

std::vector<std::string> read(std::span<const std::uint8_t> file, std::span<const Message> messages,
                              std::span<const Tables* const> tables, const Roles& roles,
                              int threads, Rows& rows) {
    const int count = int(messages.size());
    std::vector<Rows> found(messages.size());
    std::vector<std::string> problems(messages.size());
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
    for (int n = 0; n < count; ++n) {
        const Message& m = messages[n];
        problems[n] = m.problem;
        if (!m.problem.empty()) continue;
        Rows& own = found[n];
        try {
            decode(file, m, *tables[n], [&](int first, const std::vector<Item>& items) {
                const int columns = m.compressed ? m.subsets : 1;
                for (int s = 0; s < columns; ++s) {
                    own.message.push_back(n), own.subset.push_back(first + s);
                    walk(items, std::size_t(s), roles, own);
                }
            });
        } catch (const std::exception& wrong) {
            problems[n] = wrong.what(), own = {};
        }
    }
    for (Rows& own : found) rows.append(own), own = {};
    return problems;
}

}  // namespace fathom::bufr
