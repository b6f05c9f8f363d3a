#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace svc::test {

/// Decodes one gzip member. Throws when the input is not exactly one, or decodes to more than 16 MiB.
inline std::string gunzip(std::string input) {
  std::string out(16UL * 1024 * 1024, '\0');
  z_stream z{};
  z.next_in = reinterpret_cast<Bytef*>(input.data());
  z.avail_in = static_cast<uInt>(input.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  // 16: a gzip header, not zlib's.
  if (inflateInit2(&z, 15 + 16) != Z_OK) throw std::runtime_error("zlib does not start");
  int const ended = inflate(&z, Z_FINISH);
  inflateEnd(&z);
  if (ended != Z_STREAM_END || z.avail_in != 0) throw std::runtime_error("not one whole gzip member");
  out.resize(out.size() - z.avail_out);
  return out;
}

}  // namespace svc::test
