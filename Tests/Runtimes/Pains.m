// What breaks on a device alone, in Objective-C: each mistake beside its twin, which is right.
// The first argument is the pain, the second `mistake` or `twin`. Prints the outcome.
#import <Foundation/Foundation.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

static NSString *folder(NSSearchPathDirectory directory) {
  return [NSSearchPathForDirectoriesInDomains(directory, NSUserDomainMask, YES) objectAtIndex:0];
}

static BOOL save(NSString *text, NSString *path, BOOL atomically) {
  return [text writeToFile:path atomically:atomically encoding:NSUTF8StringEncoding error:NULL];
}

// A file of the bundle is called Recipes.plist.
static const char *readRecipes(BOOL isRight) {
  NSString *name = isRight ? @"Recipes.plist" : @"recipes.plist";
  NSString *path = [[[NSBundle mainBundle] bundlePath] stringByAppendingPathComponent:name];
  return [NSData dataWithContentsOfFile:path] ? "read" : "not found";
}

static const char *saveFavourites(BOOL isRight) {
  NSString *place = isRight ? folder(NSDocumentDirectory) : [[NSBundle mainBundle] bundlePath];
  return save(@"<plist/>", [place stringByAppendingPathComponent:@"Favourites.plist"], NO) ? "saved" : "not saved";
}

// As Apple's QA1719 has it.
static void skipBackup(NSString *path) {
  char value = 1;
  setxattr([path fileSystemRepresentation], "com.apple.MobileBackup", &value, sizeof value, 0);
}

// The second save puts another file in the place of the one that was flagged.
static const char *saveTwice(BOOL isRight) {
  NSString *path = [folder(NSDocumentDirectory) stringByAppendingPathComponent:@"catalogue.txt"];
  BOOL isSaved = save(@"1", path, YES);
  skipBackup(path);
  isSaved = isSaved && save(@"2", path, YES);
  if (isRight) skipBackup(path);
  return isSaved ? "saved" : "not saved";
}

int main(int count, char **arguments) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  BOOL isRight = count > 2 && strcmp(arguments[2], "twin") == 0;
  const char *pain = count > 1 ? arguments[1] : "";
  const char *outcome = "no such pain";
  if (strcmp(pain, "wrong-case") == 0) outcome = readRecipes(isRight);
  if (strcmp(pain, "write-in-bundle") == 0) outcome = saveFavourites(isRight);
  if (strcmp(pain, "lost-flag") == 0) outcome = saveTwice(isRight);
  puts(outcome);
  [pool release];
  return 0;
}
