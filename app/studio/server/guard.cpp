// guard.cpp: who may ask the studio's server, and how much at a time.
#include "guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string_view>

#include "app/studio/assets.h"

namespace halation::app {
namespace {

bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;  // of all characters, so that time tells nothing
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return difference == 0;
}

/// Scripts and styles, of which nothing is secret.
bool is_public(std::string_view path) {
  return std::any_of(assets().begin(), assets().end(), [&](const Asset& each) { return each.path == path && !each.type.starts_with("text/html"); });
}

std::optional<Refusal> refuses_size(const Knock& knock) {
  if (knock.is_compressed) return Refusal{415, "what a request brings comes as it is, without Content-Encoding"};  // a few bytes may be many
  if (knock.method == "PUT" && knock.path == "/image") return {};  // which goes to a file
  const bool brings = knock.method == "POST" || knock.method == "PUT" || knock.method == "PATCH" || knock.method == "PRI";
  if (knock.is_chunked || (brings && knock.length.empty())) return Refusal{411, "a request says how long it is, by Content-Length"};
  if (std::strtoull(knock.length.c_str(), nullptr, 10) <= Guard::most_bytes) return {};
  return Refusal{413, fmt::format("a request has up to {} bytes, got {}", Guard::most_bytes, knock.length)};
}

}  // namespace

std::string random_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", static_cast<unsigned>(random()));
  return token;
}

std::string Guard::new_code() {
  const std::lock_guard<std::mutex> locked(lock_);
  code_ = random_token();
  return code_;
}

bool Guard::takes(const std::string& code) {
  const std::lock_guard<std::mutex> locked(lock_);
  if (code_.empty() || !is_same(code, code_)) return false;
  code_.clear();
  return true;
}

bool Guard::is_here(const std::string& where) const {
  return where == fmt::format("{}:{}", host, port_) || where == fmt::format("localhost:{}", port_);
}

std::optional<Refusal> Guard::refuses_stranger(const Knock& knock) {
  if (!is_here(knock.host)) return Refusal{403, fmt::format("this is {}:{}, and answers to no other name", host, port_)};
  constexpr std::string_view scheme = "http://";
  if (!knock.origin.empty() && !(knock.origin.starts_with(scheme) && is_here(knock.origin.substr(scheme.size()))))
    return Refusal{403, "pages from elsewhere are not answered"};
  if (knock.path == "/open") {
    if (takes(knock.code)) return {};
    return Refusal{403, "this address opens the page once: open the one that halation studio has printed"};
  }
  if (is_public(knock.path) || is_same(knock.token, token_)) return {};
  return Refusal{403, "the token is missing or wrong: open the address that halation studio has printed"};
}

std::optional<Refusal> Guard::refuses(const Knock& knock) {
  if (std::optional<Refusal> refusal = refuses_stranger(knock)) return refusal;
  return refuses_size(knock);
}

}  // namespace halation::app
