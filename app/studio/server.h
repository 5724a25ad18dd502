// server.h: the studio's page and its answers over HTTP, to this machine's user alone.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "workspace.h"

namespace halation::app {

/// Listens on 127.0.0.1. All but the page's own scripts and styles needs the token, in the query or as header X-Halation-Token; another
/// Host or Origin than this address is refused: 403. What is asked for comes in the query, or as a JSON object of texts with POST.
///
///     GET /?token=…                 the page
///     GET /filters                  the library's filters, borders, pixels, views, devices
///     GET /image, PUT /image?name=… the picture; PUT takes the bytes of a file
///     GET /preview                  chain, options of `halation apply` (border, linear …), w, crop=x,y,w,h, z, client; of=original for the
///                                   picture itself; format=png, or raw for RGBA with its size in X-Halation-Width and -Height
///     GET /weights, /explain, /histogram, /inspect, /code   the same, see answers.h
///     GET /tile                     a tile of outputs= and mask= in numbers, for the page /lesson
///     GET /save                     the file that `halation apply` writes, at full size; as=NAME, quality
///
/// Errors are {"error": "sentence"} with status 400 for what has no meaning, 409 for a preview whose client has asked again since, 410 where
/// picture=NUMBER (of GET /image) is no longer the one, 415 for a
/// file or format that it cannot be, 503 for a device that is not there, 507 for too little memory, 500.
class Server {
 public:
  /// `scratch`: an empty folder for pictures sent to it and files to be saved.
  Server(Workspace& workspace, std::string token, std::filesystem::path scratch);
  ~Server();

  /// Port 0: a free one. Throws `Error{io}` where it is taken.
  void bind(int port);
  /// With the token.
  std::string address() const;
  /// Answers until `stop`, which any thread may call.
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A new one: 128 random bits.
std::string random_token();

}  // namespace halation::app
