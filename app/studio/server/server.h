// server.h: the studio's page and its answers over HTTP, to this machine's user alone.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/studio/picture/workspace.h"

namespace halation::app {

/// Listens on 127.0.0.1. All but the page's own scripts and styles needs the token, in the query or as header X-Halation-Token; another
/// Host or Origin than this address is refused: 403. What is asked for comes in the query, or as a JSON object of texts with POST.
///
///     GET /?token=…                 the page
///     GET /open?code=…              leads there, once: for command lines, which other users of the machine can see
///     GET /filters                  the library's filters, borders, pixels, views, devices
///     GET /image, PUT /image?name=… the picture; PUT takes the bytes of a file
///     GET /preview                  chain, options of `halation apply` (border, linear …), w, crop=x,y,w,h, z, client (a newer request
///                                   of one ends its older ones; the newest is the one of the highest turn=NUMBER, or without them the
///                                   last to come); of=original for the picture itself; format=png, or raw for RGBA with its size in
///                                   X-Halation-Width and -Height. Goes before all others
///     GET /weights, /explain, /histogram, /inspect, /code   the same, see answers.h; tune=measure times what /explain tells of
///     GET /tile                     a tile of outputs=, mask= and dims= in numbers, and what rung= asks of memory, for the page /lesson
///     GET /ladder                   the GPU rungs of dims=, as recorded; measure=1: as measured here, where there is a GPU
///     GET /save                     the file that `halation apply` writes, at full size; as=NAME, quality
///
/// Errors are {"error": "sentence"} with status 400 for what has no meaning, 409 where the client has asked for another of the kind since, 410
/// where the picture, or picture=NUMBER (of GET /image), is no longer the one, 411 and 413 for requests without a length and of too many
/// bytes, 415 for a file or format that it cannot be and for compressed requests, 503 for a device that is not there, 507 for too little memory, 500.
class Server {
 public:
  /// `scratch`: an empty folder for pictures sent to it and files to be saved.
  Server(Workspace& workspace, std::string token, std::filesystem::path scratch);
  ~Server();

  /// Port 0: a free one. Throws `Error{io}` where it is taken.
  void bind(int port);
  /// With the token.
  std::string address() const;
  /// One that opens the page once, and then no more.
  std::string opening_address();
  /// Answers until `stop`, which any thread may call.
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halation::app
