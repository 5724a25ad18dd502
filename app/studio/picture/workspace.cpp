// workspace.cpp: the picture that the page works on, what chains make of it, and plans.
#include "workspace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/border_index.h"
#include "core/memory.h"
#include "halation/error.h"
#include "halation/strip_filter.h"
#include "halation/transfer.h"

namespace halation::app {
namespace {

constexpr std::size_t most_clients = 64;
constexpr std::size_t most_plans = 16;
/// Of the memory that is free once the picture is there, what results may take together.
constexpr double share_of_results = 0.5;
constexpr std::size_t most_results = 8;
constexpr double frame_seconds = 0.03;
constexpr double long_seconds = 0.5;  // a result that takes longer can be given up on the way
constexpr std::size_t reference_strip_bytes = std::size_t{1} << 18;  // it is slow

std::size_t bytes_of(const Shape& shape, Pixel pixel) { return static_cast<std::size_t>(shape.elements()) * bytes_of(pixel); }

Device first_gpu_or_cpu() {
  for (const DeviceInfo& info : devices()) {
    if (info.device.kind == Device::Kind::cuda) return info.device;
  }
  return cpu();
}

void check_shown(const std::string& path, Pixel pixel) {
  if (is_native(pixel)) return;
  throw Error{ErrorCode::unsupported, path +
                                          ": the studio shows pixels u8, u16, i16, f16, f32 and f64, got " +
                                          std::string(name_of(pixel)) + "; halation apply filters it"};
}

/// The first of a file's pages; where these can be read in parts, without the memory that others or the file's bytes would take.
Page first_page(const std::string& path, std::size_t& pages) {
  const std::vector<std::unique_ptr<PageSource>> sources = open_pages(path);
  pages = sources.size();
  if (sources.empty()) {
    std::vector<Page> all = read_pages(path);
    pages = all.size();
    check_shown(path, all.front().image.pixel());
    return std::move(all.front());
  }
  const PageFacts& facts = sources.front()->facts();
  check_shown(path, facts.pixel);
  Page page{.image = Image(facts.shape, facts.pixel), .colour = facts.colour, .alpha = facts.alpha, .linear_light = facts.linear_light,
            .metadata = facts.metadata, .layout = facts.layout};
  sources.front()->read(0, page.image);
  return page;
}

/// The rectangle of a picture that settles what is seen of a chain's result: with what its filters reach. None where that is most of the picture,
/// or where a result depends on pixels elsewhere.
std::optional<Region> part_that_settles(const PageJob& job, const Shape& shape, const Region& seen) {
  if (job.options.extent != Extent::same || job.view == Display::stretched || shape.depth > 1 || shape.batch > 1) return {};
  for (const auto& axis : job.options.border.axes()) {
    if (is_periodic(axis.mode)) return {};
  }
  std::int64_t along_y = 0, along_x = 0;
  for (const FilterSet& stage : job.chain.stages) {
    std::int64_t height = 1, width = 1;
    for (const Filter& filter : stage.filters) {
      height = std::max(height, filter.size().height);
      width = std::max(width, filter.size().width);
    }
    along_y += height - 1;  // to either side, wherever anchors lie
    along_x += width - 1;
  }
  const auto begins = [](std::int64_t begin, std::int64_t reach) { return std::max<std::int64_t>(0, begin - reach); };
  const auto extends = [](std::int64_t begin, std::int64_t end, std::int64_t reach, std::int64_t all) { return std::min(all, end + reach) - begin; };
  Region part{.y = begins(seen.y, along_y), .x = begins(seen.x, along_x)};
  part.height = extends(part.y, seen.y + seen.height, along_y, shape.height);
  part.width = extends(part.x, seen.x + seen.width, along_x, shape.width);
  const bool is_inside = seen.y >= 0 && seen.x >= 0 && seen.y + seen.height <= shape.height && seen.x + seen.width <= shape.width;
  const bool keeps_axes = (part.height > 1 || shape.height == 1) && (part.width > 1 || shape.width == 1);  // filters follow them
  if (!is_inside || !keeps_axes || 2 * part.height * part.width > shape.height * shape.width) return {};
  return part;
}

Shape with_size(Shape shape, const Region& part) {
  shape.height = part.height;
  shape.width = part.width;
  return shape;
}

/// A sink that hands everything on.
class Passed final : public Sink {
 public:
  explicit Passed(const Workspace::Visitor& visitor) : visitor_(visitor) {}
  void write(std::int64_t first, ConstView part) override { visitor_.take(part, first); }

 private:
  const Workspace::Visitor& visitor_;
};

}  // namespace

struct Workspace::Loaded {
  Picture picture;
  Page page;
  std::size_t budget = 0;  // of results, in bytes
  Image on_device;         // its pixels, once they were needed there
  Image result_on_device;  // the last, for the next of its kind
};

struct Workspace::Kept {
  std::string key;
  PageFacts facts;
  Device device;
  Image image;
  std::size_t bytes = 0;
};

Workspace::Workspace(std::optional<Device> device) : device_(device ? *device : first_gpu_or_cpu()), device_is_asked_for_(device.has_value()) {}
Workspace::~Workspace() = default;

void Workspace::open(const std::string& path, const std::string& name, std::shared_ptr<void> file) {
  auto loaded = std::make_shared<Loaded>();
  std::size_t pages = 0;
  try {
    loaded->page = first_page(path, pages);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    worker_.run([&] {  // results of the picture before can be made again
      kept_.clear();
      kept_bytes_ = 0;
    });
    loaded->page = first_page(path, pages);
  }
  loaded->picture = {.path = path, .name = name, .facts = facts_of(loaded->page), .pages = pages, .file = std::move(file), .number = 0};
  ++replaces_;
  const std::shared_ptr<void> replaced(nullptr, [this](void*) { --replaces_; });
  worker_.run([&] {
    kept_.clear();
    plans_.clear();
    kept_bytes_ = 0;
    loaded->budget = static_cast<std::size_t>(share_of_results * static_cast<double>(available_host_bytes()));
    loaded->picture.number = ++pictures_;
    const std::lock_guard<std::mutex> locked(picture_lock_);
    loaded_ = std::move(loaded);
  });
}

std::shared_ptr<Workspace::Loaded> Workspace::loaded(const Picture& picture) const {
  const std::lock_guard<std::mutex> locked(picture_lock_);
  if (!loaded_ || loaded_->picture.number != picture.number) throw OtherPicture{};
  return loaded_;
}

bool Workspace::has_picture() const {
  const std::lock_guard<std::mutex> locked(picture_lock_);
  return loaded_ != nullptr;
}

Picture Workspace::picture() const {
  const std::lock_guard<std::mutex> locked(picture_lock_);
  if (!loaded_) throw Error{ErrorCode::invalid_argument, "there is no picture yet: drop one on the page, or PUT /image"};
  return loaded_->picture;
}

void Workspace::end() {
  ends_ = true;
  worker_.look_again();
}

Turn Workspace::turn() {
  Turn made;
  made.newest_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  return made;
}

Turn Workspace::turn(const std::string& client, std::uint64_t number) {
  Turn made;
  {
    const std::lock_guard<std::mutex> locked(turns_lock_);
    auto found = std::find_if(turns_.begin(), turns_.end(), [&](const auto& each) { return each.first == client; });
    if (found == turns_.end()) {
      turns_.emplace_front(client, std::make_shared<std::atomic<std::uint64_t>>(0));
      if (turns_.size() > most_clients) turns_.pop_back();  // its requests under way still count
    } else {
      turns_.splice(turns_.begin(), turns_, found);
    }
    made.newest_ = turns_.front().second;
    made.number_ = number != 0 ? number : *made.newest_ + 1;
    *made.newest_ = std::max(made.newest_->load(), made.number_);
  }
  worker_.look_again();
  return made;
}

void Workspace::in_turn(const Turn& turn, std::function<void()> work, OneThread::Urgency urgency) {
  worker_.run(std::move(work), [this, turn] { check(turn); }, urgency);
}

void Workspace::visit_original(const Picture& picture, const Turn& turn, const Visitor& visitor) {
  in_turn(turn, [&] {
    const std::shared_ptr<Loaded> of = loaded(picture);
    visitor.begin(of->picture.facts, {});
    visitor.take(of->page.image, 0);
  }, visitor.urgency);
}

std::shared_ptr<const PageJob> Workspace::prepared(const Loaded& of, const Asked& asked) {
  const std::string key = asked.key();
  const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const Plans& each) { return each.key == key && each.picture == of.picture.number; });
  if (found != plans_.end()) {
    plans_.splice(plans_.begin(), plans_, found);
    return found->job;
  }
  Job job = asked.job();
  if (!job.device) job.device = device_;
  Timing timing;
  Prepared made = prepare(job, {of.picture.facts}, timing);
  plans_.push_front({.key = key, .picture = of.picture.number, .job = std::make_shared<const PageJob>(std::move(made.jobs.front()))});
  if (plans_.size() > most_plans) plans_.pop_back();
  return plans_.front().job;
}

std::shared_ptr<const PageJob> Workspace::job(const Picture& picture, const Asked& asked, const Turn& turn) {
  std::shared_ptr<const PageJob> made;
  in_turn(turn, [&] { made = prepared(*loaded(picture), asked); });
  return made;
}

/// Whether a result of so many bytes may be kept; others go for it, and one that is like it is handed on, to be written over.
bool Workspace::make_room(std::size_t budget, std::size_t bytes, const Shape& shape, Pixel pixel, Image& reusable) {
  if (bytes > budget) return false;
  while (!kept_.empty() && (kept_bytes_ + bytes > budget || kept_.size() >= most_results)) {
    Kept& oldest = kept_.back();
    kept_bytes_ -= oldest.bytes;
    if (oldest.image.shape() == shape && oldest.image.pixel() == pixel) reusable = std::move(oldest.image);
    kept_.pop_back();
  }
  return true;
}

Image Workspace::filtered(Loaded& of, const PageJob& job, const Turn& turn, OneThread::Urgency urgency, Image reusable) {
  if (of.page.image.shape().batch == 1 && expected_seconds(job) > long_seconds) {
    if (reusable.empty()) reusable = Image(job.output_shape, job.output_pixel);
    ViewSink sink(reusable.view());
    filter_in_strips(of, job, turn, urgency, sink);
    return reusable;
  }
  if (!is_plain(job)) {
    Timing timing;
    return run(job, of.page, timing).image;
  }
  const bool on_gpu = job.device.kind == Device::Kind::cuda;
  if (reusable.empty()) reusable = on_gpu ? allocate_pinned(job.output_shape, job.output_pixel) : Image(job.output_shape, job.output_pixel);
  std::vector<Image> between = job.prepared.images_between();
  if (!on_gpu) {
    job.prepared.run(of.page.image, reusable, between);
    return reusable;
  }
  if (of.on_device.empty() || of.on_device.device() != job.device) of.on_device = to_device(of.page.image, job.device);
  Image& there = of.result_on_device;
  if (there.empty() || there.device() != job.device || there.shape() != job.output_shape || there.pixel() != job.output_pixel)
    there = allocate(job.output_shape, job.output_pixel, job.device);
  job.prepared.run(of.on_device, there, between);
  copy(there, reusable, Stream{});
  synchronise(job.device);
  return reusable;
}

void Workspace::alone(std::function<void()> work) { in_turn(turn(), std::move(work)); }

void Workspace::check(const Turn& turn) const {
  if (ends_) throw Superseded{};
  turn.check();
}

void Workspace::filter_in_strips(const Loaded& of, const PageJob& job, const Turn& turn, OneThread::Urgency urgency, Sink& sink) {
  const bool is_reference = job.device.kind == Device::Kind::reference;
  StripFilter strips(of.picture.facts.shape, of.picture.facts.pixel, job.chain, job.options, job.colour, job.view,
                     {.devices = {job.device}, .strip_bytes = is_reference ? reference_strip_bytes : 0, .progress = [&](const StripProgress&) {
                       check(turn);
                       if (urgency == OneThread::Urgency::usual) worker_.give_way();
                       if (replaces_ > 0) throw OtherPicture{};
                     }});
  ViewSource source(of.page.image);
  strips.run(source, sink);
}

Made Workspace::visit_part(const Loaded& of, const Asked& asked, const PageJob& whole, const Region& part, const Visitor& visitor) {
  const ConstView view = of.page.image.view();
  Page page{.image = Image(with_size(view.shape, part), view.pixel), .colour = of.page.colour, .alpha = of.page.alpha, .linear_light = of.page.linear_light,
            .metadata = {}, .layout = of.page.layout};
  copy(view.crop(part), page.image);
  Job job = asked.job();
  job.device = whole.device;
  Timing timing;
  const Prepared made = prepare(job, {facts_of(page)}, timing);
  double seconds = 0;
  const Page result = timed(seconds, [&] { return run(made.jobs.front(), page, timing); });
  visitor.begin(facts_of(result), {.y = part.y, .x = part.x});
  visitor.take(result.image, 0);
  return {.milliseconds = seconds * 1e3, .device = whole.device, .in_part = true};
}

Made Workspace::visit(const Picture& picture, const Asked& asked, const Turn& turn, const Visitor& visitor) {
  Made made;
  in_turn(turn, [&] { made = visit_here(picture, asked, turn, visitor); }, visitor.urgency);
  return made;
}

Made Workspace::visit_here(const Picture& picture, const Asked& asked, const Turn& turn, const Visitor& visitor) {
  const std::shared_ptr<Loaded> of = loaded(picture);
  const std::string key = asked.key();
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) { return each.key == key; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    visitor.begin(found->facts, {});
    visitor.take(found->image, 0);
    return {.milliseconds = 0, .device = found->device, .kept = true, .in_strips = false};
  }
  const std::shared_ptr<const PageJob> job = prepared(*of, asked);
  const PageFacts facts = result_facts(*job, of->picture.facts);
  Made made{.device = job->device};
  double seconds = 0;
  const std::size_t bytes = bytes_of(facts.shape, facts.pixel);
  if (visitor.seen && (bytes > of->budget || expected_seconds(*job) > frame_seconds)) {
    if (const std::optional<Region> part = part_that_settles(*job, of->picture.facts.shape, *visitor.seen))
      return visit_part(*of, asked, *job, *part, visitor);
  }
  Image reusable;
  bool is_kept = make_room(of->budget, bytes, facts.shape, facts.pixel, reusable);
  if (is_kept) {
    try {
      Image image = timed(seconds, [&] { return filtered(*of, *job, turn, visitor.urgency, std::move(reusable)); });
      kept_.push_front({.key = key, .facts = facts, .device = job->device, .image = std::move(image), .bytes = bytes});
      kept_bytes_ += bytes;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory) throw;
      is_kept = false;
    }
  }
  visitor.begin(facts, {});
  if (is_kept) {
    visitor.take(kept_.front().image, 0);
  } else {
    Passed sink(visitor);
    timed(seconds, [&] { filter_in_strips(*of, *job, turn, visitor.urgency, sink); });
    made.in_strips = true;
  }
  made.milliseconds = seconds * 1e3;
  return made;
}

Clipping Workspace::clipping(const Picture& picture, const Asked& asked, const Turn& turn, const Visitor& visitor) {
  const std::shared_ptr<const PageJob> of_result = job(picture, asked, turn);
  Clipping clipping;
  const auto take = [&](const ConstView& part, std::int64_t first) {
    visitor.take(part, first);
    if (of_result->view || part.shape != of_result->output_shape) return;
    clipping.clipped = count_clipped(loaded(picture)->page.image, part, of_result->chain, of_result->options, of_result->colour,
                                     clipping_worth_saying, of_result->device);
    clipping.known = true;
    clipping.note = clipping_note(clipping.clipped, *of_result, "view");
  };
  visit(picture, asked, turn, {.begin = visitor.begin, .take = take});
  return clipping;
}

}  // namespace halation::app
