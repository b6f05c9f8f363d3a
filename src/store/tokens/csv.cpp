#include "store/tokens/csv.hpp"

namespace svc::store {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

error misplaced(int line, std::string_view what) {
  return {errc::validation_failed, "The file is no CSV.", {{"line " + std::to_string(line), std::string(what)}}};
}

/// Reads rows from the front of `rest_`. Single use.
class csv_reader {
 public:
  explicit csv_reader(std::string_view text) : rest_(text) {
    if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
  }

  result<std::vector<csv_row>> read() {
    std::vector<csv_row> rows;
    while (!rest_.empty()) {
      csv_row row{.line = line_};
      do {
        auto field = read_field();
        if (!field) return field.error();
        row.fields.push_back(std::move(*field));
      } while (skip(','));
      end_line();
      if (row.fields.size() > 1 || !row.fields[0].empty()) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  bool skip(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void end_line() {
    skip('\r');
    if (skip('\n')) ++line_;
  }

  bool at_end_of_field() const {
    return rest_.empty() || rest_[0] == ',' || rest_[0] == '\n' || rest_.starts_with("\r\n") || rest_ == "\r";
  }

  result<std::string> read_field() {
    if (skip('"')) return read_quoted();
    std::string field;
    while (!at_end_of_field()) {
      if (rest_[0] == '"') return misplaced(line_, "a quote inside a field that does not begin with one");
      field += rest_[0];
      rest_.remove_prefix(1);
    }
    return field;
  }

  result<std::string> read_quoted() {
    int const begun = line_;
    std::string field;
    while (!rest_.empty()) {
      char const c = rest_[0];
      rest_.remove_prefix(1);
      if (c == '"' && !skip('"')) {
        if (at_end_of_field()) return field;
        return misplaced(line_, "text behind a closing quote");
      }
      if (c == '\n') ++line_;
      field += c;
    }
    return misplaced(begun, "a quote that is never closed");
  }

  std::string_view rest_;
  int line_ = 1;
};

}  // namespace

result<std::vector<csv_row>> parse_csv(std::string_view text) {
  return csv_reader(text).read();
}

}  // namespace svc::store
