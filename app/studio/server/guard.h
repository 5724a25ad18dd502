// guard.h: who may ask the studio's server, and how much at a time.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace halation::app {

/// A request as far as it must be known before it is answered.
struct Knock {
  std::string method, path, host, origin;
  std::string token;  ///< of the header, else of the query
  std::string code;   ///< of the query
  std::string length;     ///< its Content-Length; "" without
  bool is_chunked = false;
  bool is_compressed = false;
};

struct Refusal {
  int status = 403;
  std::string sentence;
};

/// Lets in who knows the token, from pages of this address alone; any thread may ask.
class Guard {
 public:
  static constexpr const char* host = "127.0.0.1";
  /// Bytes of a request, but for a picture's: they are read into memory whole.
  static constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;

  explicit Guard(std::string token) : token_(std::move(token)) {}

  void listens_at(int port) { port_ = port; }
  int port() const { return port_; }
  const std::string& token() const { return token_; }
  /// A new code, which lets in once, at /open; the one before no more.
  std::string new_code();

  /// None for a request that is to be answered. A code is used up.
  std::optional<Refusal> refuses(const Knock& knock);

 private:
  bool is_here(const std::string& where) const;
  bool takes(const std::string& code);
  std::optional<Refusal> refuses_stranger(const Knock& knock);

  std::string token_;
  int port_ = 0;
  std::mutex lock_;
  std::string code_;  // empty once it has been used
};

/// 128 random bits in hexadecimal digits.
std::string random_token();

}  // namespace halation::app
