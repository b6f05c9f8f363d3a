#include "svc/domain/monitoring/checks/pattern.hpp"

#include <re2/re2.h>

#include <algorithm>

namespace svc::checks {
namespace {

/// A larger program that gets the small memory has no room for its automaton: RE2 then searches up to 200 times
/// slower.
constexpr int largest_small_program = 100;
constexpr std::int64_t small_memory = std::int64_t{1} << 18, large_memory = std::int64_t{1} << 20;
/// Measured: 8 to 24 bytes for each instruction.
constexpr std::size_t instruction_bytes = 24;
constexpr std::size_t fixed_bytes = 4096;

std::shared_ptr<re2::RE2 const> compile_within(std::int64_t memory, std::string_view text, pattern_encoding as) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(memory);
  // Services speak bytes, not always UTF-8.
  if (as == pattern_encoding::latin1) options.set_encoding(re2::RE2::Options::EncodingLatin1);
  return std::make_shared<re2::RE2 const>(re2::StringPiece(text.data(), text.size()), options);
}

}  // namespace

std::string pattern_size_fault(int most) {
  return "all regular expressions together must have at most " + std::to_string(most) +
         " instructions of RE2: use smaller repetitions, fewer classes such as \\pL, or several monitors";
}

std::shared_ptr<re2::RE2 const> compile_pattern(std::string_view text, pattern_encoding as) {
  // Most programs are small. A large one is compiled twice.
  auto out = compile_within(small_memory, text, as);
  bool const small =
      out->ok() ? out->ProgramSize() <= largest_small_program : out->error_code() != re2::RE2::ErrorPatternTooLarge;
  return small ? out : compile_within(large_memory, text, as);
}

/// RE2 leaves two thirds of its memory to the forward program, and half of that to the automaton of searches that
/// only ask whether there is a match.
std::size_t pattern_bytes(re2::RE2 const& pattern) {
  auto const program = static_cast<std::size_t>(std::max(pattern.ProgramSize(), 0));
  return fixed_bytes + program * instruction_bytes + pattern.pattern().size() +
         static_cast<std::size_t>(pattern.options().max_mem()) / 3;
}

}  // namespace svc::checks
