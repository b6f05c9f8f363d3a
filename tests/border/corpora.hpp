#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace svc::test {

/// Returns SVC_CORPORA_DIR. If it is not set, prints a line that `subject` was not played, and returns
/// `std::nullopt`.
std::optional<std::string> corpora_directory(char const* subject);

struct corpus_case {
  std::string id;
  std::string expected;  ///< name of the verdict in the corpus
  std::string bytes;     ///< empty: the corpus only describes the request
};
std::vector<corpus_case> http_corpus(std::string const& directory, std::string const& file);

/// Mutations that change nothing for a reader that matches field names exactly: white space or a byte above ASCII in
/// the value of `X`, and a field about content, not framing. The body follows Content-Length.
inline std::set<std::string> const harmless_mutations = {"SMG-default-xprespace-09", "SMG-default-xprespace-20",
                                                         "SMG-default-xprespace-a0", "SMG-default-xprespace-ff",
                                                         "SMG-exhaustive-contentEnc"};

/// Calls `each` with each file of JSONTestSuite.
void for_each_json(std::string const& directory,
                   std::function<void(std::string const& name, std::string const& text)> const& each);

/// Duplicate names and U+0000: RFC 8259 allows them, the service refuses them.
inline std::set<std::string> const stricter_json = {"y_object_duplicated_key.json",
                                                    "y_object_duplicated_key_and_value.json",
                                                    "y_object_escaped_null_in_key.json", "y_string_null_escape.json"};

/// Files that RFC 8259 leaves to implementations and that the service accepts. It refuses every other i_ file:
/// numbers beyond a double, lone surrogates, bytes that are not UTF-8, byte order marks, 500 levels.
inline std::set<std::string> const accepted_json = {
    "i_number_double_huge_neg_exp.json",    // 0
    "i_number_real_underflow.json",         // 0
    "i_number_too_big_neg_int.json",        // the nearest double
    "i_number_too_big_pos_int.json",        //
    "i_number_very_big_negative_int.json",  //
};

inline bool takes_json(std::string const& name) {
  if (name.front() == 'y') return !stricter_json.contains(name);
  return accepted_json.contains(name);
}

}  // namespace svc::test
