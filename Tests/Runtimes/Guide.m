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

static NSString *writeAndRead(NSString *path) {
  NSError *error = nil;
  BOOL isWritten = [@"some text" writeToFile:path atomically:YES encoding:NSUTF8StringEncoding error:&error];
  if (!isWritten) return refusal(error);
  return [NSString stringWithContentsOfFile:path encoding:NSUTF8StringEncoding error:&error];
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

static void takeSteps(void) {
  NSString *home = NSHomeDirectory();
  NSString *bundle = [[NSBundle mainBundle] bundlePath];
  NSString *recipes = [NSString stringWithContentsOfFile:[bundle stringByAppendingPathComponent:@"Recipes.plist"]
                                                encoding:NSUTF8StringEncoding
                                                   error:NULL];
  show(@"bundle", [recipes stringByTrimmingCharactersInSet:[NSCharacterSet whitespaceAndNewlineCharacterSet]]);
  show(@"documents", writeAndRead([folder(NSDocumentDirectory) stringByAppendingPathComponent:@"Write.txt"]));
  show(@"library", writeAndRead([folder(NSLibraryDirectory) stringByAppendingPathComponent:@"Write.txt"]));
  show(@"caches", writeAndRead([folder(NSCachesDirectory) stringByAppendingPathComponent:@"Write.txt"]));
  show(@"tmp", writeAndRead([NSTemporaryDirectory() stringByAppendingPathComponent:@"Write.txt"]));
  NSString *archive = [folder(NSDocumentDirectory) stringByAppendingPathComponent:@"archive"];
  BOOL isArchived = [NSKeyedArchiver archiveRootObject:[NSArray arrayWithObject:@"kept"] toFile:archive];
  show(@"archiver", isArchived ? [[NSKeyedUnarchiver unarchiveObjectWithFile:archive] objectAtIndex:0] : nil);
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  int starts = (int)[defaults integerForKey:@"starts"] + 1;
  [defaults setInteger:starts forKey:@"starts"];
  show(@"defaults", [defaults synchronize] ? [NSString stringWithFormat:@"%d", starts] : @"not saved");
  show(@"writeInBundle", writeAndRead([bundle stringByAppendingPathComponent:@"new.txt"]));
  show(@"writeAtTopLevel", writeAndRead([home stringByAppendingPathComponent:@"new.txt"]));
  show(@"directoryAtTopLevel", make([home stringByAppendingPathComponent:@"Made"]));
}

int main(void) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  showFolders();
  takeSteps();
  showFavourites();
  [pool release];
  return 0;
}
