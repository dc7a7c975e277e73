// What every guide to files on iOS begins with, in C#: the folders, then reading and writing in each.
// Prints `NAME PATH` for a folder and `STEP OUTCOME` for a step. An argument is a step to leave out.
using System;
using System.IO;
using System.IO.IsolatedStorage;
using System.Runtime.Serialization;
using System.Runtime.Serialization.Formatters.Binary;
using System.Xml.Serialization;

[Serializable]
public class Note
{
    public string Title;
    public int Count;
}

static class Guide
{
    static string[] leftOut;

    static void Main(string[] arguments)
    {
        leftOut = arguments;
        foreach (var folder in new[] {
            "MyDocuments", "Personal", "LocalApplicationData", "ApplicationData", "Desktop", "MyMusic",
            "MyPictures", "MyVideos", "Templates", "Fonts", "UserProfile", "InternetCache", "Favorites",
            "Resources" })
        {
            var value = (Environment.SpecialFolder)Enum.Parse(typeof(Environment.SpecialFolder), folder);
            Console.WriteLine(folder + " " + Environment.GetFolderPath(value));
        }
        Console.WriteLine("Temporary " + Path.GetTempPath());
        Console.WriteLine("Current " + Directory.GetCurrentDirectory());
        Steps();
    }

    static void Steps()
    {
        var documents = Environment.GetFolderPath(Environment.SpecialFolder.MyDocuments);
        var library = Path.Combine(documents, "..", "Library");
        Step("bundle", () => File.ReadAllText("./Recipes.plist"));
        Step("documents", () => WriteAndRead(Path.Combine(documents, "Write.txt")));
        Step("library", () => WriteAndRead(Path.Combine(library, "Write.txt")));
        Step("caches", () => WriteAndRead(Path.Combine(library, "Caches", "Write.txt")));
        Step("tmp", () => WriteAndRead(Path.Combine(documents, "..", "tmp", "Write.txt")));
        Step("temporaryFile", () => WriteAndRead(Path.GetTempFileName()));
        Step("directory", () =>
        {
            var directory = Path.Combine(documents, "Made");
            Directory.CreateDirectory(directory);
            return Directory.Exists(directory).ToString();
        });
        Step("xmlSerializer", () => SerializeAsXml(Path.Combine(documents, "note.xml")));
        Step("contractSerializer", () => SerializeByContract(Path.Combine(library, "note.xml")));
        Step("binarySerializer", () => SerializeAsBytes(Path.Combine(documents, "note.bin")));
        Step("defaults", CountStarts);
        Step("missing", () => File.ReadAllText(Path.Combine(documents, "missing")));
        Step("missingDirectory", () => File.ReadAllText(Path.Combine(documents, "missing", "text")));
        Step("writeInBundle", () => WriteAndRead("./new.txt"));
        Step("deleteInBundle", () => { File.Delete("./Recipes.plist"); return "deleted"; });
        Step("writeAtTopLevel", () => WriteAndRead(Path.Combine(documents, "..", "new.txt")));
        Step("directoryAtTopLevel", () =>
            Directory.CreateDirectory(Path.Combine(documents, "..", "Made")).FullName);
    }

    static string WriteAndRead(string path)
    {
        File.WriteAllText(path, "some text");
        return File.ReadAllText(path);
    }

    static string SerializeAsXml(string path)
    {
        var serializer = new XmlSerializer(typeof(Note));
        using (var file = File.Create(path)) serializer.Serialize(file, new Note { Title = "a", Count = 7 });
        using (var file = File.OpenRead(path)) return ((Note)serializer.Deserialize(file)).Count.ToString();
    }

    static string SerializeByContract(string path)
    {
        var serializer = new DataContractSerializer(typeof(Note));
        using (var file = File.Create(path)) serializer.WriteObject(file, new Note { Title = "a", Count = 7 });
        using (var file = File.OpenRead(path)) return ((Note)serializer.ReadObject(file)).Count.ToString();
    }

    static string SerializeAsBytes(string path)
    {
        var formatter = new BinaryFormatter();
        using (var file = File.Create(path)) formatter.Serialize(file, new Note { Title = "a", Count = 7 });
        using (var file = File.OpenRead(path)) return ((Note)formatter.Deserialize(file)).Count.ToString();
    }

    // Where .NET itself has a program keep its settings.
    static string CountStarts()
    {
        using (var store = IsolatedStorageFile.GetUserStoreForAssembly())
        {
            var starts = 1;
            if (store.FileExists("starts"))
                using (var reader = new StreamReader(store.OpenFile("starts", FileMode.Open)))
                    starts += int.Parse(reader.ReadToEnd());
            using (var writer = new StreamWriter(store.OpenFile("starts", FileMode.Create)))
                writer.Write(starts);
            return starts.ToString();
        }
    }

    static void Step(string name, Func<string> step)
    {
        if (Array.IndexOf(leftOut, name) >= 0) return;
        string outcome;
        try { outcome = step().Trim(); } catch (Exception error) { outcome = error.GetType().Name; }
        Console.WriteLine(name + " " + outcome);
    }
}
