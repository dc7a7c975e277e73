// What guides to files on iOS begin with, in Objective-C: the folders, then reading and writing in each.
// Prints `NAME PATH` for a folder and `STEP OUTCOME` for a step.
#import <Foundation/Foundation.h>
#include <stdio.h>

static void show(NSString *name, NSString *value) {
  printf("%s %s\n", [name UTF8String], value ? [value UTF8String] : "");
}

static NSString *folder(NSSearchPathDirectory directory) {
  NSArray *all = NSSearchPathForDirectoriesInDomains(directory, NSUserDomainMask, YES);
  return [all count] ? [all objectAtIndex:0] : nil;
}

static NSString *refusal(NSError *error) { return [NSString stringWithFormat:@"refused %d", (int)[error code]]; }

static NSString *text(NSString *path) {
  NSError *error = nil;
  NSString *read = [NSString stringWithContentsOfFile:path encoding:NSUTF8StringEncoding error:&error];
  NSCharacterSet *blank = [NSCharacterSet whitespaceAndNewlineCharacterSet];
  return read ? [read stringByTrimmingCharactersInSet:blank] : refusal(error);
}

static NSString *writeAndRead(NSString *path) {
  NSError *error = nil;
  BOOL isWritten = [@"some text" writeToFile:path atomically:YES encoding:NSUTF8StringEncoding error:&error];
  return isWritten ? text(path) : refusal(error);
}

static NSString *make(NSString *path) {
  NSError *error = nil;
  BOOL isMade = [[NSFileManager defaultManager] createDirectoryAtPath:path
                                          withIntermediateDirectories:NO
                                                           attributes:nil
                                                                error:&error];
  return isMade ? @"made" : refusal(error);
}

static void showFolders(void) {
  show(@"NSHomeDirectory", NSHomeDirectory());
  show(@"NSTemporaryDirectory", NSTemporaryDirectory());
  show(@"NSDocumentDirectory", folder(NSDocumentDirectory));
  show(@"NSLibraryDirectory", folder(NSLibraryDirectory));
  show(@"NSCachesDirectory", folder(NSCachesDirectory));
  show(@"NSApplicationSupportDirectory", folder(NSApplicationSupportDirectory));
  show(@"bundlePath", [[NSBundle mainBundle] bundlePath]);
  show(@"current", [[NSFileManager defaultManager] currentDirectoryPath]);
}

// A list that comes with the app is copied to Documents at the first start, and changed there.
static void showFavourites(void) {
  NSString *own = [folder(NSDocumentDirectory) stringByAppendingPathComponent:@"Favourites.plist"];
  NSFileManager *files = [NSFileManager defaultManager];
  if (![files fileExistsAtPath:own]) {
    NSString *first = [[NSBundle mainBundle] pathForResource:@"Favourites" ofType:@"plist"];
    NSError *error = nil;
    show(@"favouritesCopied", [files copyItemAtPath:first toPath:own error:&error] ? @"yes" : @"no");
  }
  NSMutableArray *favourites = [NSMutableArray arrayWithContentsOfFile:own];
  [favourites addObject:@"one more"];
  show(@"favouritesSaved", [favourites writeToFile:own atomically:YES] ? @"yes" : @"no");
  printf("favourites %d\n", (int)[favourites count]);
}

static void takeStepsOfSerializers(NSString *documents, NSString *library) {
  NSDictionary *note = [NSDictionary dictionaryWithObject:@"7" forKey:@"count"];
  NSString *file = [library stringByAppendingPathComponent:@"note.plist"];
  [note writeToFile:file atomically:YES];
  show(@"propertyList", [[NSDictionary dictionaryWithContentsOfFile:file] objectForKey:@"count"]);
  file = [documents stringByAppendingPathComponent:@"note.json"];
  [[NSJSONSerialization dataWithJSONObject:note options:0 error:NULL] writeToFile:file atomically:YES];
  NSData *json = [NSData dataWithContentsOfFile:file];
  show(@"json", [[NSJSONSerialization JSONObjectWithData:json options:0 error:NULL] objectForKey:@"count"]);
  NSString *archive = [documents stringByAppendingPathComponent:@"archive"];
  BOOL isArchived = [NSKeyedArchiver archiveRootObject:[NSArray arrayWithObject:@"kept"] toFile:archive];
  show(@"archiver", isArchived ? [[NSKeyedUnarchiver unarchiveObjectWithFile:archive] objectAtIndex:0] : nil);
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  int starts = (int)[defaults integerForKey:@"starts"] + 1;
  [defaults setInteger:starts forKey:@"starts"];
  show(@"defaults", [defaults synchronize] ? [NSString stringWithFormat:@"%d", starts] : @"not saved");
}

static void takeStepsThatAreRefused(NSString *documents) {
  NSString *home = NSHomeDirectory();
  NSString *bundle = [[NSBundle mainBundle] bundlePath];
  NSError *error = nil;
  BOOL isDeleted = [[NSFileManager defaultManager] removeItemAtPath:@"./Recipes.plist" error:&error];
  show(@"missing", text([documents stringByAppendingPathComponent:@"missing"]));
  show(@"writeInBundle", writeAndRead([bundle stringByAppendingPathComponent:@"new.txt"]));
  show(@"deleteInBundle", isDeleted ? @"deleted" : refusal(error));
  show(@"writeAtTopLevel", writeAndRead([home stringByAppendingPathComponent:@"new.txt"]));
  show(@"directoryAtTopLevel", make([home stringByAppendingPathComponent:@"Made"]));
}

static void takeSteps(void) {
  NSString *documents = folder(NSDocumentDirectory);
  NSString *library = [documents stringByAppendingPathComponent:@"../Library"];
  NSString *unique = [[NSProcessInfo processInfo] globallyUniqueString];
  show(@"bundle", text(@"./Recipes.plist"));
  show(@"bundleResource", text([[NSBundle mainBundle] pathForResource:@"Recipes" ofType:@"plist"]));
  show(@"documents", writeAndRead([documents stringByAppendingPathComponent:@"Write.txt"]));
  show(@"library", writeAndRead([library stringByAppendingPathComponent:@"Write.txt"]));
  show(@"caches", writeAndRead([library stringByAppendingPathComponent:@"Caches/Write.txt"]));
  show(@"tmp", writeAndRead([documents stringByAppendingPathComponent:@"../tmp/Write.txt"]));
  show(@"temporaryFile", writeAndRead([NSTemporaryDirectory() stringByAppendingPathComponent:unique]));
  takeStepsOfSerializers(documents, library);
  takeStepsThatAreRefused(documents);
}

int main(void) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  showFolders();
  takeSteps();
  showFavourites();
  [pool release];
  return 0;
}
