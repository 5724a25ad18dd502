// file_list.h: the files that `halation batch` was given, and where their results go.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace halation::app {

/// An input and its place below the folder of results; or a folder that cannot be read, refused.
struct BatchFile {
  std::string in;
  std::string out;
  std::string refused = {};  ///< why it cannot be filtered, where that is known from the names
  std::string origin = {};   ///< the input's place seen from the result's folder, links followed
};

/// What was found and is no image to halation; hidden files of folders do not count.
struct PassedOver {
  std::map<std::string, std::vector<std::string>> unread;  ///< pictures in formats that halation does not read, by the format's name
  std::size_t others = 0;  ///< links to nothing and pipes among them, of patterns only those
};

struct BatchList {
  std::vector<BatchFile> files;
  PassedOver passed_over;
};

/// All inputs in the order given, files of a folder in alphabetical order. A name stands for itself, for all images of a folder (with
/// `recursive` of its folders too, whose structure is kept), or, with * ? [ ] in it and no file of that name, for the files that match; **
/// matches folders at any depth. Images of a folder are known by their endings; what is named is taken whatever it is called. What lies in
/// the folder of results is passed over where that lies in one that is looked through. Links to files stand for these; those to folders are
/// followed where `names` name them, but not on the way down, where they may lead back up. `ending`: of the results, ".png"; empty: that of
/// the input, by its content where its name ends like no image, ".png" where that format is not written. Two inputs of one result: the second is refused, and so is a result in the place of
/// an input. Throws `Error` where a name stands for nothing, which says what halation reads where a folder has other files only.
BatchList batch_files(const std::vector<std::string>& names, bool recursive, const std::string& folder, const std::string& ending);

}  // namespace halation::app
