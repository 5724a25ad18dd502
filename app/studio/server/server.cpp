// server.cpp: the studio's page and its answers over HTTP.
#include "server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/command_line/arguments.h"
#include "app/filtering/files/file.h"
#include "app/studio/answers/answers.h"
#include "app/studio/answers/inspect.h"
#include "app/studio/answers/lesson_answers.h"
#include "app/studio/assets.h"
#include "core/stopwatch.h"
#include "guard.h"
#include "halation/error.h"
#include "query.h"

namespace halation::app {
namespace {

namespace fs = std::filesystem;

// Not a type that the HTTP library compresses: on one machine that costs more than it saves.
constexpr const char* json_type = "application/json; charset=utf-8";
constexpr int workers = 32;    // threads; most of them wait for their turn
constexpr int waiting = 1024;  // connections that the system keeps until a thread takes them
/// Of the room that is left for files, what one picture may take.
constexpr std::uintmax_t share_of_room = 2;

/// httplib's with a longer queue of connections: its own of 5 makes the sixth of many at once wait for a second.
class Listener : public httplib::Server {
 public:
  bool lengthen_queue() { return ::listen(svr_sock_, waiting) == 0; }
};

/// What a request asks for: its query, and the object that its body is.
Words words_of(const httplib::Request& request) {
  Words words = query_of(request.target);
  if (request.method != "POST") return words;
  const nlohmann::json body = nlohmann::json::parse(request.body, nullptr, false);
  if (!body.is_object()) throw Error{ErrorCode::invalid_argument, "POST takes a JSON object of texts"};
  for (const auto& [name, value] : body.items()) {
    if (!value.is_string()) throw Error{ErrorCode::invalid_argument, fmt::format("{} is a text in JSON", name)};
    words[name] = value.get<std::string>();
  }
  return words;
}

Knock knock_of(const httplib::Request& request) {
  constexpr const char* of_header = "X-Halation-Token";
  const Words words = query_of(request.target);
  return {.method = request.method, .path = request.path, .host = request.get_header_value("Host"), .origin = request.get_header_value("Origin"),
          .token = request.has_header(of_header) ? request.get_header_value(of_header) : word(words, "token"),
          .code = word(words, "code"), .length = request.get_header_value("Content-Length"), .is_chunked = request.has_header("Transfer-Encoding"),
          .is_compressed = request.has_header("Content-Encoding")};
}

void set_json(httplib::Response& response, const Json& json) {
  response.set_content(json.dump(-1, ' ', false, Json::error_handler_t::replace), json_type);
}

void set_error(httplib::Response& response, int status, const std::string& sentence) {
  response.status = status;
  set_json(response, {{"error", sentence}});
}

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return 400;
    case ErrorCode::io:
    case ErrorCode::unsupported: return 415;
    case ErrorCode::device: return 503;
    case ErrorCode::out_of_memory: return 507;
  }
  return 500;
}

/// An error whose sentence knows a file by its place here, by the name that the user knows.
Error renamed(const Error& error, const fs::path& path, const std::string& name) {
  std::string sentence = error.what();
  if (const std::size_t at = sentence.find(path.string()); at != std::string::npos) sentence.replace(at, path.string().size(), name);
  return {error.code(), sentence};
}

}  // namespace

struct Server::Impl {
  Impl(Workspace& of, std::string token, fs::path folder) : workspace(of), guard(std::move(token)), scratch(std::move(folder)) {}

  Workspace& workspace;
  Guard guard;
  fs::path scratch;
  Listener http;
  std::atomic<std::uint64_t> files{0};  // in the folder so far
  OneThread saving;  // beside the workspace's, so that a long one stops no preview
  std::mutex opening;
  std::atomic<bool> has_run{false}, ends{false};

  fs::path new_file(const std::string& name) { return scratch / fmt::format("{}-{}", ++files, name); }

  /// Errors of `work` become answers.
  template <class Work>
  static void answered(httplib::Response& response, const Work& work) {
    try {
      work();
    } catch (const OtherPicture&) {
      set_error(response, 410, "another picture has been opened meanwhile");
    } catch (const Superseded&) {
      set_error(response, 409, "superseded by a newer request");
    } catch (const Error& error) {
      set_error(response, status_of(error.code()), error.what());
    } catch (const std::bad_alloc&) {
      set_error(response, 507, "not enough memory");
    } catch (const std::exception& error) {
      set_error(response, 500, error.what());
    }
  }

  /// The picture that a request is about. A page says which, by its number: another may have been opened in another page.
  Picture picture_of(const Words& words) const {
    Picture picture = workspace.picture();
    const std::string wanted = word(words, "picture");
    if (!wanted.empty() && wanted != std::to_string(picture.number)) throw OtherPicture{};
    return picture;
  }

  /// One after the other, unless the server is to stop.
  void save_in_turn(const std::function<void()>& work) {
    saving.run(work, [this] {
      if (ends) throw Superseded{};
    });
  }

  using Answer = void (Impl::*)(const Words&, httplib::Response&);
  void on(const std::string& path, Answer answer) {
    const auto handler = [this, answer](const httplib::Request& request, httplib::Response& response) {
      answered(response, [&] {
        (this->*answer)(words_of(request), response);
      });
    };
    http.Get(path, handler);
    http.Post(path, handler);
  }

  void set_up();
  void take_picture(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& body);
  void preview(const Words& words, httplib::Response& response);
  void save(const Words& words, httplib::Response& response);

  void filters(const Words&, httplib::Response& response) { set_json(response, filters_answer(workspace)); }
  void picture(const Words&, httplib::Response& response) { set_json(response, picture_answer(workspace)); }
  void weights(const Words& words, httplib::Response& response) {
    set_json(response, weights_answer(workspace, picture_of(words), asked_from(words), static_cast<std::size_t>(number(words, "stage", 0)), turn_of(words, "/weights")));
  }
  void explain(const Words& words, httplib::Response& response) {
    set_json(response, explain_answer(workspace, picture_of(words), asked_from(words), turn_of(words, "/explain")));
  }
  void histogram(const Words& words, httplib::Response& response) {
    const Picture picture = picture_of(words);
    set_json(response, is_of_original(words) ? histogram_answer(workspace, picture, turn_of(words, "/histogram original"))
                                             : histogram_answer(workspace, picture, asked_from(words), turn_of(words, "/histogram")));
  }
  void inspect(const Words& words, httplib::Response& response) {
    set_json(response, inspect_answer(workspace, picture_of(words), asked_from(words), word(words, "before"),
                                      {.y = number(words, "y", 0), .x = number(words, "x", 0)}, turn_of(words, "/inspect")));
  }
  void code_lines(const Words& words, httplib::Response& response) {
    set_json(response, code_answer(workspace.has_picture() ? picture_of(words).name : "photo.jpg", asked_from(words)));
  }
  void tile(const Words& words, httplib::Response& response) {
    set_json(response, tile_answer(number(words, "outputs", 8), number(words, "mask", 5), number(words, "dims", 2), word(words, "rung")));
  }
  void ladder(const Words& words, httplib::Response& response) {
    const bool measures = flag(words, "measure");
    const auto answer = [&] { set_json(response, ladder_answer(workspace, number(words, "dims", 2), measures)); };
    if (!measures) return answer();
    save_in_turn(answer);  // nothing is saved while rungs are measured
  }

  static bool is_of_original(const Words& words) { return word(words, "of") == "original"; }
  /// Requests without a client supersede none.
  Turn turn_of(const Words& words, std::string_view kind) {
    const std::string client = word(words, "client");
    return client.empty() ? Workspace::turn() : workspace.turn(client + std::string(kind), static_cast<std::uint64_t>(number(words, "turn", 0)));
  }
};

void Server::Impl::set_up() {
  http.new_task_queue = [] { return new httplib::ThreadPool(workers); };
  http.set_tcp_nodelay(true);
  // httplib's own options would let another server of the user's take the same port.
  http.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  // A connection a request: the body of a refused one would be read as the next request, and idle ones would hold threads.
  http.set_keep_alive_max_count(1);
  http.set_read_timeout(30);
  http.set_write_timeout(30);
  http.set_default_headers({{"Cache-Control", "no-store"},
                            {"Referrer-Policy", "no-referrer"},
                            {"X-Content-Type-Options", "nosniff"},
                            {"X-Frame-Options", "DENY"},
                            {"Content-Security-Policy", "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; base-uri 'none'"}});
  http.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    // Answers go whole, as HTTP allows: of a range httplib 0.11 sends also what lies in memory behind the end of an answer. The request is
    // its own, and not const.
    const_cast<httplib::Request&>(request).ranges.clear();  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    const std::optional<Refusal> refusal = guard.refuses(knock_of(request));
    if (!refusal) return httplib::Server::HandlerResponse::Unhandled;
    set_error(response, refusal->status, refusal->sentence);
    return httplib::Server::HandlerResponse::Handled;
  });
  http.set_error_handler([](const httplib::Request& request, httplib::Response& response) {
    if (!response.body.empty()) return;
    set_error(response, response.status, response.status == 404 ? fmt::format("{} {}: there is no such thing", request.method, request.path)
                                         : response.status == 414 ? "the query is too long; POST takes the same as a JSON object of texts"
                                                                  : "this is no request that can be answered");
  });
  for (const Asset& asset : assets()) {
    http.Get(std::string(asset.path), [&asset](const httplib::Request&, httplib::Response& response) {
      response.set_content(asset.content.data(), asset.content.size(), std::string(asset.type));
    });
  }
  on("/filters", &Impl::filters);
  on("/image", &Impl::picture);
  on("/preview", &Impl::preview);
  on("/weights", &Impl::weights);
  on("/explain", &Impl::explain);
  on("/histogram", &Impl::histogram);
  on("/inspect", &Impl::inspect);
  on("/code", &Impl::code_lines);
  on("/tile", &Impl::tile);
  on("/ladder", &Impl::ladder);
  on("/save", &Impl::save);
  http.Get("/open", [this](const httplib::Request&, httplib::Response& response) { response.set_redirect("/?token=" + guard.token(), 303); });
  http.Put("/image", [this](const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& body) {
    answered(response, [&] { take_picture(request, response, body); });
  });
}

void Server::Impl::take_picture(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& body) {
  if (request.is_multipart_form_data()) throw Error{ErrorCode::unsupported, "PUT /image takes the bytes of a file, not a form"};
  const std::string given = fs::path(word(query_of(request.target), "name")).filename().string();
  const std::string name = given.empty() ? "picture" : given;
  const fs::path path = new_file("picture");
  const std::uintmax_t room = fs::space(scratch).available / share_of_room;
  if (const auto size = request.get_header_value<std::uint64_t>("Content-Length"); size > room)
    throw Error{ErrorCode::out_of_memory, fmt::format("{} could not be stored: a picture may take {} bytes, half of the room that is left, got {}", name, room, size)};
  std::ofstream file(path, std::ios::binary);
  std::uintmax_t size = 0;
  const bool complete = body([&](const char* data, std::size_t bytes) {
    size += bytes;
    return size <= room && static_cast<bool>(file.write(data, static_cast<std::streamsize>(bytes)));
  });
  file.close();
  if (!complete || !file) {
    std::error_code ignored;
    fs::remove(path, ignored);
    throw Error{ErrorCode::out_of_memory, fmt::format("{} could not be stored: there is no room, or it did not come whole", name)};
  }
  // It stays as long as the picture, and what is under way with it, needs it.
  const std::shared_ptr<void> kept(nullptr, [path](void*) {
    std::error_code unheeded;
    fs::remove(path, unheeded);
  });
  const std::lock_guard<std::mutex> one_by_one(opening);
  try {
    workspace.open(path.string(), name, kept);
  } catch (const Error& error) {
    throw renamed(error, path, name);
  }
  set_json(response, picture_answer(workspace));
}

void Server::Impl::preview(const Words& words, httplib::Response& response) {
  const Picture picture = picture_of(words);
  const std::string format = word(words, "format");
  if (format != "" && format != "png" && format != "raw")
    throw Error{ErrorCode::invalid_argument, fmt::format("format is png or raw, got '{}'", format)};
  std::optional<Screen> screen;
  double seconds = 0;
  const Workspace::Visitor visitor{
      .begin =
          [&](const PageFacts& facts, const Position& origin) {
            Look look = look_from(words, facts.shape);
            look.part.y -= origin.y;
            look.part.x -= origin.x;
            screen.emplace(facts, word(words, "output-pixel").empty() ? picture.facts.pixel : facts.pixel, look);
          },
      .take = [&](const ConstView& part, std::int64_t first) { timed(seconds, [&] { screen->take(part, first); }); },
      .seen = look_from(words, picture.facts.shape).part,
      .urgency = OneThread::Urgency::urgent};
  Made made;
  if (is_of_original(words)) {
    workspace.visit_original(picture, turn_of(words, "/preview original"), visitor);
  } else {
    made = workspace.visit(picture, asked_from(words), turn_of(words, "/preview"), visitor);
    response.set_header("X-Halation-Device", name_of(made.device));
    response.set_header("X-Halation-Milliseconds", fmt::format("{:.3f}", made.milliseconds));
    response.set_header("X-Halation-Way", made.kept ? "kept" : made.in_part ? "part" : made.in_strips ? "strips" : "whole");
  }
  std::vector<std::uint8_t> rgba = screen->rgba();
  const std::int64_t width = screen->width(), height = screen->height();
  response.set_header("X-Halation-Width", std::to_string(width));
  response.set_header("X-Halation-Height", std::to_string(height));
  if (format == "raw") {
    const auto kept = std::make_shared<const std::vector<std::uint8_t>>(std::move(rgba));
    return response.set_content_provider(kept->size(), "application/octet-stream", [kept](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
      return sink.write(reinterpret_cast<const char*>(kept->data()) + offset, length);
    });
  }
  const fs::path path = new_file("preview.png");
  write_image(path.string(), view_of(rgba.data(), {.height = height, .width = width, .channels = 4}));
  std::ifstream file(path, std::ios::binary);
  const std::string png{std::istreambuf_iterator<char>(file), {}};
  fs::remove(path);
  response.set_content(png, "image/png");
}

void Server::Impl::save(const Words& words, httplib::Response& response) {
  const Picture picture = picture_of(words);
  const Asked asked = asked_from(words);
  const std::string name = fs::path(word(words, "as")).filename().string();
  if (name.empty()) throw Error{ErrorCode::invalid_argument, "as is the name of the file to save, such as photo.png"};
  FileJob job{.in = picture.path, .out = new_file(name).string(), .compare = {}, .job = asked.job(), .quiet = true};
  if (const std::string quality = word(words, "quality"); !quality.empty()) {
    job.write.quality = static_cast<int>(whole_number_from("quality", quality, 1, 100));
    job.write.lossless = false;
  }
  try {
    save_in_turn([&] { filter_file(job); });
  } catch (const Error& error) {
    throw renamed(renamed(error, job.out, name), job.in, picture.name);
  }
  const auto file = std::make_shared<std::ifstream>(job.out, std::ios::binary);
  const auto size = fs::file_size(job.out);
  fs::remove(job.out);  // it stays until it has been read
  response.set_header("Content-Disposition", "attachment; filename*=UTF-8''" + percent_encoded(name));
  response.set_content_provider(size, "application/octet-stream", [file](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
    std::array<char, 1 << 16> buffer;
    file->seekg(static_cast<std::streamoff>(offset));
    file->read(buffer.data(), static_cast<std::streamsize>(std::min(length, buffer.size())));
    if (file->gcount() == 0) return false;
    return sink.write(buffer.data(), static_cast<std::size_t>(file->gcount()));
  });
}

Server::Server(Workspace& workspace, std::string token, fs::path scratch)
    : impl_(std::make_unique<Impl>(workspace, std::move(token), std::move(scratch))) {
  impl_->set_up();
}

Server::~Server() = default;

void Server::bind(int port) {
  const int bound = port == 0 ? impl_->http.bind_to_any_port(Guard::host) : impl_->http.bind_to_port(Guard::host, port) ? port : -1;
  if (bound <= 0) throw Error{ErrorCode::io, fmt::format("port {} of {} is taken or not allowed; --port 0 finds a free one", port, Guard::host)};
  impl_->guard.listens_at(bound);
  impl_->http.lengthen_queue();
}

std::string Server::address() const { return fmt::format("http://{}:{}/?token={}", Guard::host, impl_->guard.port(), impl_->guard.token()); }

std::string Server::opening_address() { return fmt::format("http://{}:{}/open?code={}", Guard::host, impl_->guard.port(), impl_->guard.new_code()); }

void Server::run() {
  impl_->http.listen_after_bind();
  impl_->has_run = true;
}

void Server::stop() {
  impl_->ends = true;
  impl_->saving.look_again();
  impl_->workspace.end();
  // httplib forgets a stop that comes before it listens.
  while (!impl_->has_run && !impl_->http.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (!impl_->has_run) impl_->http.stop();
}

}  // namespace halation::app
