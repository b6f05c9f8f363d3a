#pragma once

#include <zlib.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace svc::test {

/// Encodes what it is given, piece by piece, as one gzip stream.
class gzip_writer {
 public:
  gzip_writer() {
    if (deflateInit2(&stream_, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::runtime_error("gzip_writer: deflateInit2");
  }
  ~gzip_writer() { deflateEnd(&stream_); }
  gzip_writer(gzip_writer const&) = delete;
  gzip_writer& operator=(gzip_writer const&) = delete;

  std::string add(std::string_view plain) { return run(plain, Z_NO_FLUSH); }
  std::string finish() { return run({}, Z_FINISH); }

 private:
  std::string run(std::string_view plain, int flush) {
    std::string out;
    std::array<char, 16384> part{};
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream_.avail_in = static_cast<uInt>(plain.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(part.data());
      stream_.avail_out = static_cast<uInt>(part.size());
      deflate(&stream_, flush);
      out.append(part.data(), part.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return out;
  }

  z_stream stream_{};
};

inline std::string gzip(std::string_view plain) {
  gzip_writer writer;
  auto out = writer.add(plain);
  return out + writer.finish();
}

/// A gzip stream of that many empty blocks, which decodes to nothing and has no end.
inline std::string empty_blocks(std::size_t count) {
  // The head of gzip (RFC 1952 2.3), and stored blocks of no bytes (RFC 1951 3.2.4).
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  for (std::size_t i = 0; i < count; ++i) out.append("\0\0\0\xff\xff", 5);
  return out;
}

/// Such a stream, itself encoded twice: a few bytes that stand for very many.
inline std::string nested_empty_blocks(std::size_t blocks_in_thousands) {
  gzip_writer inner, outer;
  auto out = outer.add(inner.add(empty_blocks(0)));
  auto const thousand = empty_blocks(1000).substr(10);
  for (std::size_t i = 0; i < blocks_in_thousands; ++i) out += outer.add(inner.add(thousand));
  out += outer.add(inner.finish());
  return out + outer.finish();
}

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
