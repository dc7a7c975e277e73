// What breaks on a device alone, in C#: each mistake beside its twin, which is right.
// The first argument is the pain, the second `mistake` or `twin`. Prints the outcome.
using System;
using System.IO;

static class Pains
{
    static readonly string documents = Environment.GetFolderPath(Environment.SpecialFolder.MyDocuments);
    static readonly string library = Path.Combine(documents, "..", "Library");
    static readonly string caches = Path.Combine(library, "Caches");
    static bool isRight;

    static void Main(string[] arguments)
    {
        isRight = arguments[1] == "twin";
        string outcome;
        try { outcome = Step(arguments[0]); }
        catch (Exception error) { outcome = error.GetType().Name; }
        Console.WriteLine(outcome);
    }

    static string Step(string pain)
    {
        switch (pain)
        {
            case "stored-path": return OpenTheLastPhoto();
            case "copied-resource": return CopyTheRecipes();
            case "large-download": return Download();
            case "shared-database": return SaveAccounts();
            case "inbox": return AnswerAMail();
            default: throw new ArgumentException(pain);
        }
    }

    // Takes a photo at the first start, and opens it at the next.
    static string OpenTheLastPhoto()
    {
        var state = Path.Combine(library, "last-photo.txt");
        if (File.Exists(state)) return File.ReadAllText(Path.Combine(documents, File.ReadAllText(state)));
        var photo = Path.Combine(documents, "photo.txt");
        File.WriteAllText(photo, "a photo");
        // Combined with an absolute path, Documents counts for nothing.
        File.WriteAllText(state, isRight ? "photo.txt" : photo);
        return "taken";
    }

    static string CopyTheRecipes()
    {
        File.Copy("./Recipes.plist", Path.Combine(isRight ? caches : documents, "Recipes.plist"), true);
        return "copied";
    }

    static string Download()
    {
        File.WriteAllBytes(Path.Combine(isRight ? caches : documents, "map.bin"), new byte[2750000]);
        return "downloaded";
    }

    static string SaveAccounts()
    {
        var folder = Path.Combine(library, "Application Support");
        Directory.CreateDirectory(folder);
        File.WriteAllText(Path.Combine(isRight ? folder : documents, "accounts.db"), "an account");
        return "saved";
    }

    // What another app has sent lies in the inbox.
    static string AnswerAMail()
    {
        var inbox = Path.Combine(documents, "Inbox");
        var mail = File.ReadAllText(Path.Combine(inbox, "mail.txt"));
        File.WriteAllText(Path.Combine(isRight ? documents : inbox, "answer.txt"), "Re: " + mail);
        return "answered";
    }
}
