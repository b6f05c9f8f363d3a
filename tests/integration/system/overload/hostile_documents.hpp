#pragma once

#include <string>
#include <vector>

namespace svc::test {

/// A body for `POST /api/tests` that is expensive to read for its size, and the service's answer to it.
struct hostile_document {
  std::string name;
  std::string text;
  int status;
  std::string sentence;  ///< a part of its error
};

/// `first`, then `again` until the text has this number of bytes, then `last`.
inline std::string filled(std::string first, std::string const& again, std::string const& last,
                          std::size_t size = 10'000'000) {
  first.reserve(size + again.size() + last.size());
  while (first.size() < size) first += again;
  return first += last;
}

inline std::string object_of_members(std::size_t size) {
  std::string out = "{\"m\":0";
  for (int i = 0; out.size() < size; ++i) out += ",\"m" + std::to_string(i) + "\":0";
  return out + "}";
}

/// Millions of values, members, levels and escapes; numbers, names and strings that do not end.
inline std::vector<hostile_document> hostile_documents() {
  auto const many = "at most 50000 values";
  return {
      {"zeros", filled("{\"zz\":[0", ",0", "]}"), 400, many},
      {"members", object_of_members(10'000'000), 400, "more than 1000 members"},
      {"objects", filled("{\"zz\":[{}", ",{\"a\":{}}", "]}"), 400, many},
      {"objects of many members", filled("[0", "," + object_of_members(8'000), "]"), 400, many},
      {"nested", filled("[[[[]]]", ",[[[]]]", "]"), 400, many},
      {"levels", filled("{\"zz\":", "[", "1"), 400, "More than 32 levels"},
      {"decimal fractions", filled("[0", ",0.1234567890123456789e-7", "]"), 400, many},
      {"exponents", filled("{\"zz\":[1e9", ",-1.5e-300", "]}"), 400, many},
      {"long numbers", filled("{\"zz\":[0", "," + std::string(1000, '7') + ".5e-1000", "]}"), 400,
       "is not allowed here"},
      {"one number", filled("{\"zz\":1", "1", "}"), 400, "A number is longer than 1024 characters"},
      {"one name", filled("{\"z", "z", "\":1}"), 400, "A member name is longer than 4096 bytes"},
      {"one unknown string", filled("{\"zz\":\"", "\\u0041", "\"}"), 400, "is not allowed here"},
      {"a script that is too long", filled(R"({"title":"t","script":")", "x", "\"}"), 400, "5242880"},
      {"space", filled("{\"title\":", " \n", "1}"), 400, "must be a string"},
      {"a script of escapes", filled(R"({"title":"t","script":")", "\\u0041", "\"}"), 201, ""},
  };
}

}  // namespace svc::test
