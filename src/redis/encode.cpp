#include "redis/encode.hpp"

#include <array>
#include <charconv>

namespace svc::redis {
namespace {

void append_length(std::string& out, char mark, std::size_t length) {
  std::array<char, 24> line;
  line[0] = mark;
  char* end = std::to_chars(line.data() + 1, line.data() + line.size() - 2, length).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(line.data(), end);
}

void append_bulks(std::string& out, std::span<std::string_view const> texts) {
  for (auto text : texts) {
    append_length(out, '$', text.size());
    out.append(text);
    out.append("\r\n", 2);
  }
}

}  // namespace

void append_command(std::string& out, command_parts const& parts) {
  append_length(out, '*', parts.head.size() + parts.keys.size() + parts.arguments.size());
  append_bulks(out, parts.head);
  append_bulks(out, parts.keys);
  append_bulks(out, parts.arguments);
}

}  // namespace svc::redis
